public import AnabranchModel

extension ManagedObjectID: PredicateObject {
    /// The object with that ID as a constant.
    public var predicateExpression: FetchExpression {
        FetchExpression(.constant(.object(predicateReference)))
    }

    /// The record and the identity of its store, so that predicates do not compare records of
    /// different stores.
    var predicateReference: PredicateObjectReference {
        PredicateObjectReference(record: localID, store: origin.identity)
    }
}
