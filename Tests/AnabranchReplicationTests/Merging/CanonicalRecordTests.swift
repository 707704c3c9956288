import AnabranchReplication
import TestSupport
import Testing

@Suite struct CanonicalRecordTests {
    @Test(arguments: TestLength.seeds(80))
    func `the order in which cells and links are found does not matter`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let record = record(&generator)
        var shuffled = record
        shuffled.cells.shuffle(using: &generator)
        shuffled.links.shuffle(using: &generator)
        #expect(shuffled.encoded() == record.encoded())
    }

    @Test(arguments: TestLength.seeds(80))
    func `everything that is merged is hashed`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let record = record(&generator)
        let stamp = generator.stamp(of: [generator.replica()])
        let changes: [(inout CanonicalRecord) -> Void] = [
            { $0.id = RecordID(replica: $0.id.replica, number: $0.id.number ^ 1) },
            { $0.entity = WireName($0.entity.string + "x") },
            { $0.cells[0].value = .string("another") },
            { $0.cells[0].stamp = stamp },
            { $0.cells[0].property = WireProperty(name: "another", type: .string) },
            { $0.cells.removeLast() },
            { $0.links[0].tags.add(stamp) },
            { $0.links[0].right = RecordID(replica: $0.id.replica, number: 77) },
            { $0.links.removeLast() },
            { $0.deleteMark = nil },
            { $0.deleteMark?.formUnion([stamp]) },
            { record in
                // This is a sibling, a second value of the same property.
                let cell = record.cells[0]
                record.cells.append(.init(property: cell.property, value: .null, stamp: stamp))
            },
        ]
        for change in changes {
            var changed = record
            change(&changed)
            #expect(hash([changed]) != hash([record]))
        }
    }

    @Test(arguments: TestLength.seeds(80))
    func `a record is read back as it was written`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var record = record(&generator)
        for mark in [record.deleteMark, nil, DeleteMark(seen: [Stamp]())] {
            record.deleteMark = mark
            let bytes = record.encoded()
            let read = try CanonicalRecord(decoding: bytes)
            #expect(read.encoded() == bytes)
            #expect(read.deleteMark == mark)
            for count in bytes.indices {
                #expect(throws: ChangeSetDecodingError.self) {
                    try CanonicalRecord(decoding: Array(bytes.prefix(count)))
                }
            }
        }
    }

    @Test func `a hash differs for different records and for their number`() {
        var generator = SeededGenerator(seed: 9)
        let records = (0..<3).map { _ in record(&generator) }.sorted { $0.id < $1.id }
        #expect(hash(records) != hash(Array(records.dropLast())))
        #expect(hash([]) == Digest(of: []))
    }

    /// The hash is the digest of the records' digests, ordered by record ID.
    @Test func `the canonical hash is that of the documented bytes`() {
        var generator = SeededGenerator(seed: 10)
        let records = (0..<3).map { _ in record(&generator) }.sorted { $0.id < $1.id }
        let digests = records.flatMap { Digest(of: $0.encoded()).bytes }
        #expect(hash(records) == Digest(of: digests))
    }

    private func hash(_ records: [CanonicalRecord]) -> Digest {
        var hash = CanonicalHash()
        for record in records { hash.update(record) }
        return hash.finish()
    }

    private func record(_ generator: inout SeededGenerator) -> CanonicalRecord {
        let replicas = (0..<2).map { _ in generator.replica() }
        let cells = (1...13 as ClosedRange<UInt8>).map { type in
            let property = WireProperty(name: WireName("p\(type)"), type: .init(rawValue: type))
            return CanonicalRecord.Cell(
                property: property, value: generator.value(of: property.type, replicas: replicas),
                stamp: generator.stamp(of: replicas))
        }
        let siblings = (1...2).map { _ in
            CanonicalRecord.Cell(
                property: WireProperty(name: "p", type: .string, rule: .keepBoth),
                value: generator.value(of: .string, replicas: []),
                stamp: generator.stamp(of: replicas))
        }
        let links = (1...3 as ClosedRange<UInt64>).map { number in
            CanonicalRecord.Link(
                property: WireProperty(name: "links", type: .links, rule: .set),
                right: RecordID(replica: replicas[0], number: number),
                tags: LinkTags([generator.stamp(of: replicas), generator.stamp(of: replicas)]))
        }
        return CanonicalRecord(
            id: generator.record(of: replicas), entity: "Person", cells: cells + siblings,
            links: links, deleteMark: DeleteMark(seen: [generator.stamp(of: replicas)]))
    }
}
