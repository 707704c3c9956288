public import AnabranchReplication

/// The reasons why no migration between two versions of a model can be inferred.
public struct MigrationError: Error, Hashable, Sendable {
    /// One reason.
    public struct Problem: Hashable, Sendable {
        /// The entity in the new version.
        public let entity: String
        /// The property in the new version; `nil` if the problem is the entity's.
        public let property: String?
        /// The cause and what to write in the model, as a sentence.
        public let message: String
    }

    /// Every problem, at least one.
    public let problems: [Problem]
}

extension MigrationError: CustomStringConvertible, DescribedError {
    /// One problem a line.
    public var description: String { problems.map(\.message).joined(separator: "\n") }
}
