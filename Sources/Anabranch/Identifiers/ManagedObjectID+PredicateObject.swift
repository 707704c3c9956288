public import AnabranchModel

extension ManagedObjectID: PredicateObject {
    /// The number by which predicates identify the record.
    public var predicateRecord: Int64 { localID }
    /// The identity of the store, so that predicates do not compare records of different stores.
    public var predicateStore: any Hashable & Sendable { origin.identity }
}
