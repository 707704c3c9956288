import AnabranchModel

extension ObjectPredicate {
    /// Returns true if the predicate holds for an object, by its present values.
    ///
    /// - Throws: `FetchPredicateError` for a predicate that does not fit the object's entity;
    ///   ``PropertyError`` or `StoreError` for a value that can't be read.
    public func evaluate(with object: Object) throws -> Bool {
        try FetchPredicate(self).evaluate(with: object)
    }
}
