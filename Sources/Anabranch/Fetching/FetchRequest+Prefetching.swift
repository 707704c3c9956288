public import AnabranchModel

extension FetchRequest {
    /// Adds relationships of the found objects to those that are prefetched.
    ///
    /// ```swift
    /// var request = FetchRequest<Person>()
    /// try request.prefetch(\.reports, \.boss?.passport)
    /// ```
    ///
    /// - Throws: `FetchPredicateError` with code `notAProperty` for a key path that is not a chain
    ///   of stored properties. Then no relationship is added. A key path that ends with an
    ///   attribute is an error of the fetch.
    public mutating func prefetch(
        _ keyPaths: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) { try prefetch(keyPaths, of: Object.self, behind: []) }

    /// Adds a to-many relationship to those that are prefetched, and relationships of its objects.
    ///
    /// ```swift
    /// try request.prefetch(\.reports, then: \.passport, \.groups)
    /// ```
    ///
    /// - Throws: The errors of ``prefetch(_:)``.
    public mutating func prefetch<Many: ToManyProperty>(
        _ relationship: KeyPath<Object, Many>, then keyPaths: PartialKeyPath<Many.Element>...
    ) throws(FetchPredicateError) {
        let way = try PropertyPath(relationship, of: Object.self).keys
        try prefetch(keyPaths, of: Many.Element.self, behind: way)
    }

    /// Adds a to-many relationship to those that are prefetched, one of its objects, and
    /// relationships of the objects of that one.
    ///
    /// ```swift
    /// try request.prefetch(\.departments, then: \.staff, then: \.passport)
    /// ```
    ///
    /// Longer ways are texts in ``relationshipKeyPathsForPrefetching``.
    ///
    /// - Throws: The errors of ``prefetch(_:)``.
    public mutating func prefetch<Many: ToManyProperty, More: ToManyProperty>(
        _ relationship: KeyPath<Object, Many>, then next: KeyPath<Many.Element, More>,
        then keyPaths: PartialKeyPath<More.Element>...
    ) throws(FetchPredicateError) {
        let way = try PropertyPath(relationship, of: Object.self).keys
        let rest = try PropertyPath(next, of: Many.Element.self).keys
        try prefetch(keyPaths, of: More.Element.self, behind: way + rest)
    }

    private mutating func prefetch(
        _ keyPaths: [AnyKeyPath], of type: ManagedObject.Type, behind way: [String]
    ) throws(FetchPredicateError) {
        var added: [String] = []
        for keyPath in keyPaths {
            let keys = try PropertyPath(keyPath, of: type).keys
            added.append((way + keys).joined(separator: "."))
        }
        relationshipKeyPathsForPrefetching += added
    }
}
