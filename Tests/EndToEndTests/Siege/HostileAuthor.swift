import AnabranchReplication
import Foundation

/// A replica of an attacker, which the zone has never seen.
struct HostileAuthor {
    let replica: ReplicaID
    private var sequence: UInt64 = 0
    private var origin = Digest.zero

    init(_ generator: inout some RandomNumberGenerator) {
        self.init(replica: ReplicaID(high: generator.next() | 1, low: generator.next()))
    }

    private init(replica: ReplicaID) { self.replica = replica }

    func record(_ number: UInt64) -> RecordID { RecordID(replica: replica, number: number) }

    /// The payload of a save that inserts records with one value for each property, or updates
    /// them.
    ///
    /// It has the same bytes for each author, because it names the author's records by their
    /// numbers. So an attacker makes it once, and the work takes no processor from the daemon.
    static func payload(
        records count: UInt64, properties: [WireProperty], value: PropertyValue,
        updating: Bool = false
    ) -> [UInt8] {
        let ids = (1...count).map(template.record)
        let rows = RowBlock(
            entity: "Note", records: ids, properties: properties,
            columns: properties.map { _ in ValueColumn(repeatElement(value, count: ids.count)) })
        return template.payload([updating ? .update(rows) : .insert(rows)])
    }

    /// The payload of a save that inserts records, and links the others with the first one.
    static func payload(links count: UInt64) -> [UInt8] {
        let property = WireProperty(name: "links", type: .links, rule: .set)
        let records = (1...count + 1).map(template.record)
        return template.payload([
            .insert(RowBlock(entity: "Note", records: records, properties: [], columns: [])),
            .link(
                LinkBlock(
                    entity: "Note", property: property,
                    links: records.dropFirst().map { .init(left: $0, right: records[0]) })),
        ])
    }

    /// The payload of a save without changes.
    static let noChanges = template.payload([])
    private static let template = HostileAuthor(replica: ReplicaID(high: 1, low: 1))

    private func payload(_ blocks: [ChangeBlock]) -> [UInt8] {
        ChangePayload(blocks: blocks).encoded(author: replica)
    }

    mutating func save(_ payload: [UInt8]) -> ChangeSet {
        sequence += 1
        let set = ChangeSet(
            saving: payload,
            dot: Dot(replica: replica, sequence: sequence),
            timestamp: HybridTimestamp(
                wallMilliseconds: Int64(Date().timeIntervalSince1970 * 1000),
                counter: UInt16(truncatingIfNeeded: sequence)),
            previousOrigin: origin, context: .empty)
        origin = set.origin
        return set
    }
}
