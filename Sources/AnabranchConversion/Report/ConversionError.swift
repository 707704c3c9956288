public import AnabranchReplication

/// An error that ends a conversion. The source is unchanged, and no store was created.
public struct ConversionError: Error, Hashable, Sendable {
    /// The kind of error, for programs.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, stable across versions.
        public let rawValue: String
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The source is missing or cannot be read.
        public static let cannotOpen = Code(rawValue: "cannot-open")
        /// The source is not a store of Core Data or SwiftData.
        public static let notAStore = Code(rawValue: "not-a-store")
        /// The source is damaged. Repair it with its app, or use a backup.
        public static let corrupt = Code(rawValue: "corrupt")
        /// The source keeps no model, so one must be given.
        public static let noModel = Code(rawValue: "no-model")
        /// The given model has none of the source's entities: give the model of this app.
        public static let otherModel = Code(rawValue: "other-model")
        /// The model has a part that no conversion reads, or it is not certain which columns the
        /// elements of a composite attribute have: the message says which.
        public static let notSupportedYet = Code(rawValue: "not-supported-yet")
        /// Another program has written to the source. Stop it, then try again.
        public static let sourceChanged = Code(rawValue: "source-changed")
        /// There is a store of that name, and it is not this conversion's result.
        public static let otherStore = Code(rawValue: "other-store")
        /// The tables of an export cannot be written at that place.
        public static let cannotWrite = Code(rawValue: "cannot-write")
    }

    /// The kind of error.
    public let code: Code
    /// The error and what to do, as a sentence.
    public let message: String
    /// The path of the file that the error is about.
    public let path: String

    init(_ code: Code, path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }
}

extension ConversionError: CustomStringConvertible, DescribedError {
    /// The message, followed by the code in parentheses.
    public var description: String { "\(message) (\(code.rawValue))" }
}
