import AnabranchModel

extension KeyPath where Root: ManagedObject, Value: AttributeValue {
    /// The number of different values that an attribute with the merge rule `keepBoth` holds.
    ///
    /// It is at least 1. The condition `(\Note.text).heldValueCount > 1` finds the objects for
    /// which a person has to choose. A fetch throws `FetchPredicateError` with code
    /// `notACollection` for an attribute with another rule.
    public var heldValueCount: ObjectExpression<Root, Int> {
        ObjectExpression { () throws(FetchPredicateError) in
            let path = try PropertyPath(self, of: Root.self).steps
            return FetchExpression(.path(nil, path + [.collectionOperator("count")]))
        }
    }
}
