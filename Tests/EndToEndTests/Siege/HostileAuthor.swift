import AnabranchReplication
import Foundation

/// A replica of an attacker, which the zone has never seen.
struct HostileAuthor {
    let replica: ReplicaID
    private var sequence: UInt64 = 0
    private var origin = Digest.zero

    init(_ generator: inout some RandomNumberGenerator) {
        replica = ReplicaID(high: generator.next() | 1, low: generator.next())
    }

    func record(_ number: UInt64) -> RecordID { RecordID(replica: replica, number: number) }

    /// A save that inserts records with one value for each property.
    mutating func save(
        records count: UInt64, properties: [WireProperty], value: PropertyValue
    ) -> ChangeSet {
        let ids = (1...count).map(record)
        return save([
            .insert(
                RowBlock(
                    entity: "Note", records: ids, properties: properties,
                    columns: properties.map { _ in
                        ValueColumn(repeatElement(value, count: ids.count))
                    }))
        ])
    }

    /// A save that links records with the first one.
    mutating func save(links count: UInt64) -> ChangeSet {
        let property = WireProperty(name: "links", type: .links, rule: .set)
        return save([
            .insert(
                RowBlock(
                    entity: "Note", records: [record(1)], properties: [], columns: [])),
            .link(
                LinkBlock(
                    entity: "Note", property: property,
                    links: (2...count + 1).map { .init(left: record($0), right: record(1)) })),
        ])
    }

    mutating func save(_ blocks: [ChangeBlock]) -> ChangeSet {
        sequence += 1
        let set = ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: replica),
            dot: Dot(replica: replica, sequence: sequence),
            timestamp: HybridTimestamp(
                wallMilliseconds: Int64(Date().timeIntervalSince1970 * 1000),
                counter: UInt16(truncatingIfNeeded: sequence)),
            previousOrigin: origin, context: .empty)
        origin = set.origin
        return set
    }
}
