/// The reason why results can't be fetched as requested. Correct the request.
public struct FetchedResultsError: Error, Sendable {
    /// The kind of a ``FetchedResultsError``.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The stable text form of the code.
        public let rawValue: String
        /// Creates a code from its text form.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The request has no sort, and results need an order. Add a sort.
        public static let missingSort = Code(rawValue: "missing-sort")
        /// The objects of a section must be neighbours. Let the request sort by the section's key
        /// path first.
        public static let unsortedSections = Code(rawValue: "unsorted-sections")
    }

    /// The kind of error, which also says what to do.
    public let code: Code
    /// The whole error as a sentence.
    public let message: String
    /// The name of the request's entity.
    public let entity: String
    /// The section's key path, if the error concerns it.
    public let keyPath: String?
}

extension FetchedResultsError: CustomStringConvertible {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}
