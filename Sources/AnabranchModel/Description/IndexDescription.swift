/// An index of a checked model.
public struct IndexDescription: Hashable, Sendable {
    /// One column of the index.
    public struct Element: Hashable, Sendable {
        /// A stored attribute, or a to-one relationship that is stored on this side.
        public let property: PropertyDescription
        /// True if the index orders the column ascending.
        public let isAscending: Bool
    }

    /// The name; unique in its entity.
    public let name: String
    /// The columns; the first is the leading one.
    public let elements: [Element]
}
