/// An index of a checked model.
public struct IndexDescription: Hashable, Sendable {
    public struct Element: Hashable, Sendable {
        /// A stored attribute, or a to-one relationship that is stored on this side.
        public let property: PropertyDescription
        public let isAscending: Bool
    }

    public let name: String
    public let elements: [Element]
}
