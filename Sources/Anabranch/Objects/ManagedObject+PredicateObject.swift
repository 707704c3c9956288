public import AnabranchModel

extension ManagedObject: PredicateObject {
    /// The object as a constant.
    public var predicateExpression: FetchExpression { objectID.predicateExpression }
}
