public import AnabranchModel

extension ManagedObject: PredicateObject {
    /// The number by which predicates identify the object's record.
    public var predicateRecord: Int64 { objectID.predicateRecord }
    /// The identity of the object's store.
    public var predicateStore: any Hashable & Sendable { objectID.predicateStore }
}
