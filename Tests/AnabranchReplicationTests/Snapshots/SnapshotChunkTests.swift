import AnabranchReplication
import TestSupport
import Testing

@Suite struct `A chunk of a snapshot` {
    private func state(_ seed: UInt64) throws -> [CanonicalRecord] {
        var reference = ReferenceMerge()
        for set in try RandomHistory(seed: seed, steps: 40, rules: .all).changeSets {
            try reference.apply(set)
        }
        return reference.state.keys.sorted().compactMap { reference.state[$0] }
    }

    private func encoded(_ records: [CanonicalRecord]) -> [UInt8] {
        var chunk = SnapshotChunkEncoder()
        for record in records { chunk.append(record) }
        chunk.append(
            SnapshotChunk.Head(
                dot: Dot(replica: ReplicaID(high: 1, low: 2), sequence: 3), origin: .zero))
        return chunk.finish()
    }

    /// Assembles the records of a chunk again.
    private func records(of chunk: SnapshotChunk) -> [RecordID: CanonicalRecord] {
        var found: [RecordID: CanonicalRecord] = [:]
        for record in chunk.records { found[record.id] = record }
        for rows in chunk.rows {
            let stamps = rows.stamps.map { runs in
                runs.flatMap { Array(repeating: $0.stamp, count: $0.count) }
            }
            for (row, id) in rows.block.records.enumerated() {
                var record = CanonicalRecord(id: id, entity: rows.block.entity)
                for (column, property) in rows.block.properties.enumerated() {
                    record.cells.append(
                        .init(
                            property: property, value: rows.block.columns[column][row],
                            stamp: stamps[column][row]))
                }
                found[id] = record
            }
        }
        for links in chunk.links {
            for link in links.links {
                found[link.left]?.links.append(
                    .init(property: links.property, right: link.right, tags: link.tags))
            }
        }
        return found
    }

    @Test(arguments: TestLength.seeds(60))
    func `returns every record with its values, stamps, marks and links`(
        seed: UInt64
    ) throws {
        let state = try state(seed)
        let chunk = try SnapshotChunk(decoding: encoded(state))
        let found = records(of: chunk)
        #expect(found.count == state.count)
        for record in state { #expect(found[record.id]?.encoded() == record.encoded()) }
        #expect(chunk.heads.map(\.dot.sequence) == [3])
    }

    @Test func `costs few bytes a record where one save wrote many`() throws {
        let author = ReplicaID(high: 7, low: 7)
        let stamp = Stamp(timestamp: HybridTimestamp(wallMilliseconds: 1), replica: author)
        let properties = ["a", "b"].map {
            WireProperty(name: WireName($0), type: .integer64, rule: .lastWriter)
        }
        var chunk = SnapshotChunkEncoder()
        for number in 1...10_000 as ClosedRange<UInt64> {
            chunk.append(
                CanonicalRecord(
                    id: RecordID(replica: author, number: number), entity: WireName("Item"),
                    cells: properties.map {
                        .init(property: $0, value: .integer(Int64(number % 50)), stamp: stamp)
                    }))
        }
        #expect(chunk.finish().count < 10_000 * 4)
    }

    @Test(arguments: TestLength.seeds(8))
    func `is an error, never a trap, where bytes are cut or changed`(seed: UInt64) throws {
        let bytes = encoded(Array(try state(seed).prefix(3)))
        let whole = try SnapshotChunk(decoding: bytes)
        for length in 0..<bytes.count {
            // A prefix that ends after a whole block is a chunk with less content. The digest of
            // the snapshot reveals that.
            if let cut = try? SnapshotChunk(decoding: Array(bytes.prefix(length))) {
                #expect(cut != whole)
            }
        }
        var generator = SeededGenerator(seed: seed)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8.random(in: 1...255, using: &generator)
            _ = try? SnapshotChunk(decoding: changed)
        }
    }

    @Test func `claims no memory for what is not there`() {
        // The bytes are the version, no tables, then rows that claim 2^40 records.
        var bytes = ByteWriter()
        bytes.append(varint: 1)
        for _ in 0..<3 { bytes.append(varint: 0) }
        bytes.append(varint: 2)
        var body = ByteWriter()
        body.append(varint: 0)
        body.append(varint: 1 << 40)
        bytes.append(block: body.bytes)
        #expect(throws: ChangeSetDecodingError.self) {
            try SnapshotChunk(decoding: bytes.bytes)
        }
    }
}
