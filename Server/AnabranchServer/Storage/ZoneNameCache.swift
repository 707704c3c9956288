import AnabranchReplication

/// The numbers of replicas, entities and properties that a transaction has read or assigned.
///
/// Committed numbers never change, so a writer keeps them from one transaction to the next. After a
/// rollback it forgets all of them, because some assignments may be undone.
package final class ZoneNameCache {
    private(set) var ordinals: [ReplicaID: Int64] = [:]
    private(set) var replicas: [Int64: ReplicaID] = [:]
    private(set) var entities: [WireName: Int64] = [:]
    private(set) var entityNames: [Int64: WireName] = [:]
    private(set) var propertyNumbers: [WireProperty: Int64] = [:]
    private(set) var properties: [Int64: WireProperty] = [:]

    /// The greatest number of replicas, of entities and of properties in the cache. If one of them
    /// reaches it, the whole cache is emptied, so that memory stays bounded.
    static let limit = 1 << 16

    func insert(_ replica: ReplicaID, ordinal: Int64) {
        if ordinals.count >= Self.limit { forget() }
        ordinals[replica] = ordinal
        replicas[ordinal] = replica
    }

    func insert(_ name: WireName, entity number: Int64) {
        if entities.count >= Self.limit { forget() }
        entities[name] = number
        entityNames[number] = name
    }

    func insert(_ property: WireProperty, number: Int64) {
        if propertyNumbers.count >= Self.limit { forget() }
        propertyNumbers[property] = number
        properties[number] = property
    }

    func forget() {
        ordinals = [:]
        replicas = [:]
        entities = [:]
        entityNames = [:]
        propertyNumbers = [:]
        properties = [:]
    }
}
