public import AnabranchReplication

/// The reason why results can't be fetched as requested. Correct the request.
public struct FetchedResultsError: Error, Sendable {
    /// The kind of a ``FetchedResultsError``.
    public struct Code: Hashable, Sendable {
        /// The stable text form of the code.
        public let rawValue: String

        /// The request has no sort, and results need an order. Add a sort.
        package static let missingSort = Code(rawValue: "missing-sort")
        /// The objects of a section must be neighbours. Let the request sort first by the names of
        /// the sections, or by something that gives their order.
        public static let unsortedSections = Code(rawValue: "unsorted-sections")
        /// The entity has no property with the name that the section's key path begins with. Name
        /// another one, or pass a closure.
        package static let unknownSections = Code(rawValue: "unknown-sections")
    }

    /// The kind of error, which also says what to do.
    public let code: Code
    /// The whole error as a sentence.
    public let message: String
    /// The name of the request's entity.
    public let entity: String
    /// The section's key path, if the error concerns it.
    public let keyPath: String?
    /// With code `unsortedSections`: the last object of the section before, and the object at which
    /// a section begins again.
    public let objectIDs: [ManagedObjectID]

    init(
        code: Code, message: String, entity: String, keyPath: String?,
        objectIDs: [ManagedObjectID] = []
    ) {
        self.code = code
        self.message = message
        self.entity = entity
        self.keyPath = keyPath
        self.objectIDs = objectIDs
    }
}

extension FetchedResultsError: CustomStringConvertible, DescribedError {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}
