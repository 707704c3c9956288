import AnabranchReplication
import TestSupport
import Testing

@Suite struct StateChecksumTests {
    private static func records(seed: UInt64) throws -> [CanonicalRecord] {
        var reference = ReferenceMerge()
        for set in try RandomHistory(seed: seed, rules: .all).changeSets {
            try reference.apply(set)
        }
        return reference.state.values.sorted { $0.id < $1.id }
    }

    private static func sum(_ records: [CanonicalRecord]) -> StateChecksum {
        records.reduce(.zero) { $0 &+ StateChecksum(of: $1) }
    }

    @Test(arguments: TestLength.seeds(40))
    func `a sum does not depend on the order, and what was added can be subtracted`(
        seed: UInt64
    ) throws {
        let records = try Self.records(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let whole = Self.sum(records)
        #expect(whole == Self.sum(records.shuffled(using: &generator)))
        #expect(whole.recordCount == UInt64(records.count))
        let left = records.reduce(whole) { $0 &- StateChecksum(of: $1) }
        #expect(left == .zero)
        let middle = records.count / 2
        #expect(
            whole == Self.sum(Array(records[..<middle])) &+ Self.sum(Array(records[middle...])))
    }

    @Test(arguments: TestLength.seeds(40))
    func `a record's checksum is that of its row and its links`(seed: UInt64) throws {
        for record in try Self.records(seed: seed) {
            var row = record
            row.links = []
            let links = record.links.reduce(StateChecksum(ofRow: row.encoded())) {
                $0 &+ StateChecksum(of: $1, from: record.id)
            }
            #expect(StateChecksum(of: record) == links)
        }
    }

    @Test(arguments: TestLength.seeds(40))
    func `any different cell, stamp, link, tag or mark is noticed`(seed: UInt64) throws {
        for record in try Self.records(seed: seed) {
            let checksum = StateChecksum(of: record)
            for place in record.cells.indices {
                var other = record
                other.cells[place].value = .string("another")
                #expect(StateChecksum(of: other) != checksum)
                other = record
                other.cells.remove(at: place)
                #expect(StateChecksum(of: other) != checksum)
            }
            for place in record.links.indices {
                var other = record
                other.links[place].tags.add(
                    Stamp(timestamp: HybridTimestamp(rawValue: 7), replica: record.id.replica))
                #expect(StateChecksum(of: other) != checksum)
            }
            var other = record
            other.deleteMark = DeleteMark(seen: (record.deleteMark?.seen ?? []) + [Self.stamp])
            #expect(StateChecksum(of: other) != checksum)
        }
    }

    private static let stamp = Stamp(
        timestamp: HybridTimestamp(rawValue: 9), replica: ReplicaID(high: 9, low: 9))

    @Test func `its bytes are read again, and no other count of them`() throws {
        let sum = Self.sum(try Self.records(seed: 1))
        #expect(sum.bytes.count == StateChecksum.byteCount)
        #expect(StateChecksum(bytes: sum.bytes) == sum)
        #expect(StateChecksum(bytes: sum.bytes.dropLast()) == nil)
        #expect(StateChecksum(bytes: sum.bytes + [0]) == nil)
        #expect(StateChecksum.zero.description == String(repeating: "0", count: 64))
    }

    /// A client in another language computes the same sum.
    @Test func `the sum of one record is known`() {
        let replica = ReplicaID(high: 1, low: 2)
        let stamp = Stamp(timestamp: HybridTimestamp(rawValue: 3), replica: replica)
        let record = CanonicalRecord(
            id: RecordID(replica: replica, number: 1), entity: "Note",
            cells: [
                .init(
                    property: WireProperty(name: "text", type: .string), value: .string("a"),
                    stamp: stamp)
            ])
        #expect(StateChecksum(of: record).description == Digest(of: record.encoded()).description)
    }

    @Test(arguments: TestLength.seeds(40))
    func `the bytes of an insert are those of its records`(seed: UInt64) throws {
        for set in try RandomHistory(seed: seed, rules: .all).changeSets {
            for case .insert(let rows) in try set.decodedPayload().blocks {
                let bytes = InsertedRowBytes(
                    entity: rows.entity, properties: rows.properties, stamp: set.stamp)
                for (place, id) in rows.records.enumerated() {
                    let record = CanonicalRecord(
                        id: id, entity: rows.entity,
                        cells: rows.properties.indices.map {
                            .init(
                                property: rows.properties[$0], value: rows.columns[$0][place],
                                stamp: set.stamp)
                        })
                    let inserted = bytes.bytes(of: id) { rows.columns[$0][place] }
                    #expect(inserted.bytes == record.encoded())
                }
            }
        }
    }
}
