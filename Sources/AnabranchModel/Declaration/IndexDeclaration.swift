/// A fetch index as a model declares it.
///
/// An index makes fetches faster and has no other effect. A to-one relationship with an inverse
/// always has an index.
public struct IndexDeclaration: Hashable, Sendable {
    /// One column of an index as a model declares it.
    public struct Element: Hashable, Sendable {
        /// The name of a stored attribute or a stored to-one relationship.
        package var property: String
        /// True if the index orders the column ascending.
        package var isAscending: Bool

        /// Declares a column of an index.
        public init(_ property: String, ascending isAscending: Bool = true) {
            self.property = property
            self.isAscending = isAscending
        }
    }

    /// The name; unique in its entity.
    package var name: String
    /// The columns; the first is the leading one.
    package var elements: [Element]

    /// Declares an index over these columns.
    public init(_ name: String, elements: [Element]) {
        self.name = name
        self.elements = elements
    }

    /// Declares an index over properties in ascending order; the first is the leading one.
    public init(_ name: String, on properties: String...) {
        self.init(name, elements: properties.map { Element($0) })
    }
}
