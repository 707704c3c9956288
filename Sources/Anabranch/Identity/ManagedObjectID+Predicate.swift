public import AnabranchModel

extension ManagedObjectID: PredicateObject {
    /// The number by which predicates identify the record.
    public var predicateRecord: Int64 { localID }
    /// The identity of the store, so that predicates do not compare records of different stores.
    public var predicateStore: any Hashable & Sendable { origin.identity }
}

extension ManagedObject: PredicateObject {
    /// The number by which predicates identify the object's record.
    public var predicateRecord: Int64 { objectID.predicateRecord }
    /// The identity of the object's store.
    public var predicateStore: any Hashable & Sendable { objectID.predicateStore }
}
