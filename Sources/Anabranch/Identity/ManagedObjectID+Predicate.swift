public import AnabranchModel

extension ManagedObjectID: PredicateObject {
    public var predicateRecord: Int64 { localID }
    public var predicateStore: any Hashable & Sendable { origin.identity }
}

extension ManagedObject: PredicateObject {
    public var predicateRecord: Int64 { objectID.predicateRecord }
    public var predicateStore: any Hashable & Sendable { objectID.predicateStore }
}
