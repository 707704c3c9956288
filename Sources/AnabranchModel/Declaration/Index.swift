/// One column of an index as a model declares it.
public struct IndexElement: Hashable, Sendable {
    /// The name of a stored attribute or a stored to-one relationship.
    public var property: String
    public var isAscending: Bool

    public init(_ property: String, ascending isAscending: Bool = true) {
        self.property = property
        self.isAscending = isAscending
    }
}

/// A fetch index as a model declares it.
///
/// Indexes make fetches fast and change nothing else; to-one relationships with an inverse have
/// one without asking.
public struct Index: Hashable, Sendable {
    /// Unique in its entity.
    public var name: String
    public var elements: [IndexElement]

    public init(_ name: String, elements: [IndexElement]) {
        self.name = name
        self.elements = elements
    }

    /// Declares an index over properties in ascending order, the first leading.
    public init(_ name: String, on properties: String...) {
        self.init(name, elements: properties.map { IndexElement($0) })
    }
}
