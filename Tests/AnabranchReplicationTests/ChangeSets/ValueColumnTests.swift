import AnabranchReplication
import Synchronization
import TestSupport
import Testing

@Suite struct ValueColumnTests {
    private let author = ReplicaID(high: 1, low: 1)

    /// Values with runs of nulls of different lengths.
    private func values(_ generator: inout SeededGenerator) -> [PropertyValue] {
        (0..<Int.random(in: 0...12, using: &generator)).flatMap { number in
            let nulls = Int.random(in: 0...12, using: &generator)
            let values = Int.random(in: 0...3, using: &generator)
            return [PropertyValue](repeating: .null, count: nulls)
                + [PropertyValue](repeating: .integer(Int64(number)), count: values)
        }
    }

    @Test(arguments: TestLength.seeds(400))
    func `a column has the values of the array that it was made of`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let values = values(&generator)
        let column = ValueColumn(values)
        #expect(Array(column) == values)
        #expect(column.indices.map { column[$0] } == values)
        for row in values.indices {
            let index = column.storedIndex(ofRow: row)
            #expect(index.map { column.stored[$0] } ?? .null == values[row])
        }
        var runs = ValueColumn()
        var rest = values[...]
        while !rest.isEmpty {
            let nulls = rest.prefix(while: \.isNull)
            runs.append(nulls: nulls.count)
            rest = rest.dropFirst(nulls.count)
            if let value = rest.popFirst() { runs.append(value) }
        }
        #expect(runs == column, "nulls appended together and one by one make equal columns")
        #expect(runs.hashValue == column.hashValue)
        if let last = values.last { #expect(ValueColumn(values.dropLast() + [last]) == column) }
        #expect(ValueColumn(values + [.null]) != column)
    }

    @Test func `columns with the same nulls at other places differ`() {
        let nulls = [PropertyValue](repeating: .null, count: 20)
        #expect(ValueColumn([.bool(true)] + nulls) != ValueColumn(nulls + [.bool(true)]))
        #expect(
            ValueColumn(repeatElement(.bool(true), count: 3)) == [
                .bool(true), .bool(true), .bool(true),
            ]
        )
        #expect(ValueColumn(repeatElement(.null, count: 20)) == ValueColumn(nulls))
    }

    /// The memory that a decoder has reserved for a block.
    private final class Reserved: Sendable {
        let byteCount = Mutex(0)
    }

    private func nulls(_ recordCount: UInt64, columns: Int) -> [UInt8] {
        let records = (1...recordCount).map { RecordID(replica: author, number: $0) }
        let properties = (0..<columns).map { WireProperty(name: WireName("p\($0)"), type: .string) }
        let column = ValueColumn(repeatElement(.null, count: records.count))
        let rows = RowBlock(
            entity: "E", records: records, properties: properties,
            columns: properties.map { _ in column })
        return ChangePayload(blocks: [.insert(rows)]).encoded(author: author)
    }

    @Test func `decoded nulls take no memory, however many a few bytes claim`() throws {
        let bytes = nulls(30_000, columns: 550)
        #expect(bytes.count < 40_000)
        let largest = Reserved()
        var decoder = try ChangePayloadDecoder(bytes, author: author) { byteCount in
            largest.byteCount.withLock { $0 = byteCount }
            return true
        }
        guard case .insert(let rows)? = try decoder.next() else {
            Issue.record("an insert is read as something else")
            return
        }
        #expect(rows.columns.allSatisfy { $0.stored.isEmpty && $0.count == 30_000 })
        #expect(largest.byteCount.withLock { $0 } < 30_000 * 24 + 550 * 300)
    }

    /// The memory that is reserved for a block must not be less than what its parts take.
    @Test func `memory is reserved for every part of a block before it is decoded`() throws {
        let ids = (1...5000).map { RecordID(replica: author, number: $0) }
        let stamp = Stamp(timestamp: HybridTimestamp(rawValue: 5), replica: author)
        let links = ids.map {
            LinkBlock.Link(left: $0, right: $0, observedTags: [stamp, stamp])
        }
        let property = WireProperty(name: "p", type: .bool, rule: .keepBoth)
        let blocks: [(ChangeBlock, least: Int)] = [
            (.delete(RecordBlock(entity: "E", records: ids)), 24),
            (
                .insert(
                    RowBlock(
                        entity: "E", records: ids, properties: [property],
                        columns: [ValueColumn(repeatElement(.bool(true), count: ids.count))])),
                24 + MemoryLayout<PropertyValue>.stride
            ),
            (
                .unlink(
                    LinkBlock(
                        entity: "E", property: WireProperty(name: "l", type: .links, rule: .set),
                        links: links)),
                48 + MemoryLayout<LinkBlock.Link>.stride + 32 + 2 * MemoryLayout<Stamp>.stride
            ),
            (
                .write(
                    SiblingBlock(
                        entity: "E", property: property,
                        writes: ids.map {
                            .init(record: $0, value: .bool(true), observedTags: [stamp])
                        })),
                24 + MemoryLayout<PropertyValue>.stride + MemoryLayout<SiblingBlock.Write>.stride
                    + 32
                    + MemoryLayout<Stamp>.stride
            ),
            (
                .yieldingDelete(
                    YieldingDeleteBlock(
                        entity: "E", deletes: ids.map { .init(record: $0, stampsSeen: [stamp]) })),
                56 + 32 + MemoryLayout<Stamp>.stride
            ),
        ]
        for (block, least) in blocks {
            let bytes = ChangePayload(blocks: [block]).encoded(author: author)
            let taken = Reserved()
            var decoder = try ChangePayloadDecoder(bytes, author: author) { byteCount in
                taken.byteCount.withLock { $0 = byteCount }
                return true
            }
            #expect(try decoder.next() == block)
            let each = taken.byteCount.withLock { $0 } / ids.count
            #expect((least...least + 40).contains(each), "\(each)")
            var refusing = try ChangePayloadDecoder(bytes, author: author) { $0 < 100_000 }
            let error = #expect(throws: ChangeSetDecodingError.self) { try refusing.next() }
            #expect(error?.code == .noRoom)
        }
    }

    @Test(.long) func `a block with more values than a reader holds is refused`() throws {
        let half = Limits.maximumBlockCells / 2
        func block(_ count: Int) -> ChangePayloadEncoder {
            var encoder = ChangePayloadEncoder(author: author)
            let property = WireProperty(name: "p", type: .bool)
            let records = (1...UInt64(count)).map { RecordID(replica: author, number: $0) }
            encoder.append(
                .insert(
                    RowBlock(
                        entity: "E", records: records, properties: [property],
                        columns: [ValueColumn(repeatElement(.bool(true), count: count))])))
            return encoder
        }
        func failure(_ encoder: ChangePayloadEncoder) throws -> ChangeSetDecodingError.Code? {
            var decoder = try ChangePayloadDecoder(encoder.finish(), author: author)
            do throws(ChangeSetDecodingError) {
                while try decoder.next() != nil {}
                return nil
            } catch {
                return error.code
            }
        }
        let largest = block(half)
        #expect(largest.isWithinLimits)
        #expect(try failure(largest) == nil)
        let tooLarge = block(half + 1)
        #expect(!tooLarge.isWithinLimits)
        #expect(try failure(tooLarge) == .limitExceeded)
    }
}
