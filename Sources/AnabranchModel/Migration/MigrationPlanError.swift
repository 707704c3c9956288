public import AnabranchReplication

/// The reason why the stages of a migration don't lead from the version of a store to the present
/// one.
public struct MigrationPlanError: Error, Sendable {
    /// The kind of error, which also says what to do.
    public let code: Code
    /// The cause and what to do, as clauses that follow "because".
    public let message: String
    /// The name of the version concerned; `nil` if it has none.
    public let version: String?
    /// The error that a reference to a model threw.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, version: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.version = version
        self.underlying = underlying
    }
}

extension MigrationPlanError {
    /// The kind of a ``MigrationPlanError``.
    public struct Code: Hashable, Sendable {
        /// The code's name.
        public let rawValue: String

        /// The model of a version can't be read. Ship it with the app.
        public static let modelNotFound = Code(rawValue: "model-not-found")
        /// The store has a version that the stages don't list. List it, or update the app.
        package static let unknownVersion = Code(rawValue: "unknown-version")
        /// A version follows one that comes after it. Put the stages into the order of the
        /// versions.
        package static let backward = Code(rawValue: "backward")
        /// Two versions have the same version hashes, so a store can't say which of them it has.
        /// Give an entity of the later one a version hash modifier.
        package static let indistinctVersions = Code(rawValue: "indistinct-versions")
        /// The stages end with another version than the present one. Add the missing stage.
        package static let presentVersionNotLast = Code(rawValue: "present-version-not-last")
        /// The store waits for a stage that the stages don't contain. Keep every stage for ever.
        package static let unknownStage = Code(rawValue: "unknown-stage")
    }
}

extension MigrationPlanError: CustomStringConvertible, DescribedError {
    /// The error as a sentence.
    public var description: String { "Can't use the stages of the migration because \(message)" }
}
