/// Why results can't be fetched as asked: the request has to be mended.
public struct FetchedResultsError: Error, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Results have an order: give the request a sort.
        public static let missingSort = Code(rawValue: "missing-sort")
        /// Objects of one section have to stand together: let the request sort by the section's
        /// key path first.
        public static let unsortedSections = Code(rawValue: "unsorted-sections")
    }

    public let code: Code
    public let message: String
    public let entity: String
    /// The section's key path, where it is about that.
    public let keyPath: String?
}

extension FetchedResultsError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
