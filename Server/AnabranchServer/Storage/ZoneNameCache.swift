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

    /// The greatest number of replicas in the cache. If it is reached, the whole cache is emptied,
    /// so that memory stays bounded.
    static let limit = 1 << 16

    /// The greatest memory of the names of entities and properties, in bytes. It is enough for the
    /// values of one record, which are `StateMerger.greatestValueCount` at most. If it is reached,
    /// the whole cache is emptied, too.
    static let byteLimit = 4 << 20
    /// The approximate memory of an entity or a property beside its name.
    private static let bytesPerName = 256
    /// The approximate memory of the names of entities and properties.
    private(set) var byteCount = 0

    func insert(_ replica: ReplicaID, ordinal: Int64) {
        if ordinals.count >= Self.limit { forget() }
        ordinals[replica] = ordinal
        replicas[ordinal] = replica
    }

    func insert(_ name: WireName, entity number: Int64) {
        count(name)
        entities[name] = number
        entityNames[number] = name
    }

    func insert(_ property: WireProperty, number: Int64) {
        count(property.name)
        propertyNumbers[property] = number
        properties[number] = property
    }

    private func count(_ name: WireName) {
        let size = name.string.utf8.count + Self.bytesPerName
        if byteCount + size > Self.byteLimit { forget() }
        byteCount += size
    }

    func forget() {
        byteCount = 0
        ordinals = [:]
        replicas = [:]
        entities = [:]
        entityNames = [:]
        propertyNumbers = [:]
        properties = [:]
    }
}
