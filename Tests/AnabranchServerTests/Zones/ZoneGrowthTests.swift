import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Work grows with its input, and not faster. Cells are counted instead of seconds.
@Suite struct ZoneGrowthTests {
    private static func property(_ number: Int) -> WireProperty {
        WireProperty(name: WireName("p\(number)"), type: .integer64)
    }

    /// A block for each property, so that a save names the record as often.
    private static func blocks(
        _ record: RecordID, _ numbers: Range<Int>
    ) -> [ChangeBlock] {
        numbers.map { number in
            .update(
                RowBlock(
                    entity: "Person", records: [record], properties: [property(number)],
                    columns: [[.integer(Int64(number))]]))
        }
    }

    @Test func `a row is written once, however many blocks name it`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        _ = try zone.push(insert, author.save(Self.blocks(record, 0..<200)))
        let changes = try [50, 100, 200].map { count in
            let save = author.save(Self.blocks(record, 0..<count))
            return try zone.storage.write { writer in
                let connection = try #require(writer.stored as? SQLiteZoneWriter).connection
                let before = try connection.integer("SELECT total_changes()")
                _ = try StateMerger.merge(
                    save, ZoneParts(writer.stored), into: writer)
                try writer.send()
                return try connection.integer("SELECT total_changes()") - before
            }
        }
        // The row. The checksum is written at the end of the transaction.
        #expect(changes == [1, 1, 1])
    }

    @Test(.everyStore) func `a save of many blocks leaves what one block leaves`() throws {
        let (many, one) = (
            try TestZone(StorageKind.current), try TestZone(StorageKind.current)
        )
        for (zone, isDivided) in [(many, true), (one, false)] {
            var author = TestAuthor(1)
            let (insert, record) = author.insertPerson()
            _ = try zone.push(insert)
            let whole = ChangeBlock.update(
                RowBlock(
                    entity: "Person", records: [record],
                    properties: (0..<50).map(Self.property),
                    columns: (0..<50).map { [.integer($0)] }))
            _ = try zone.push(author.save(isDivided ? Self.blocks(record, 0..<50) : [whole]))
            #expect(try zone.storage.read { try $0.checksum() == $0.summed() })
        }
        #expect(try many.records().map(\.cells.count) == [52])
        let hashes = try [many, one].map { zone in
            try zone.records()[0].cells.map { "\($0.property) \($0.value)" }.sorted()
        }
        #expect(hashes[0] == hashes[1])
    }

    @Test(.everyStore)
    func `a record that a save changes and deletes leaves no change`() throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        _ = try zone.push(insert)
        _ = try zone.push(author.save([.rename(record, to: "Bob"), .delete(record)]))
        #expect(try zone.records().isEmpty)
        #expect(try zone.storage.read { try $0.checksum() } == .zero)
    }

    @Test(.everyStore)
    func `a record with too many values is rejected, and later saves follow`() throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        _ = try zone.push(insert)
        let numbers = 0..<StateMerger.greatestValueCount
        let large = author.save([
            .update(
                RowBlock(
                    entity: "Person", records: [record], properties: numbers.map(Self.property),
                    columns: numbers.map { _ in [.null] }))
        ])
        let answer = try zone.push(large, author.save([.rename(record, to: "Bob")]))
        #expect(answer.acknowledgements.map(\.rejection?.code) == [.tooLarge, nil])
        #expect(
            answer.acknowledgements[0].rejection?.reason.contains("10002 values") == true)
        #expect(try zone.records()[0].cells.count == 2)
    }

    @Test func `a clock that is set forward during a merge rejects no save`() throws {
        let clock = Mutex(Int64(1_700_000_000_000))
        let zone = try TestZone(
            .sqlite,
            clock: {
                clock.withLock { now in
                    now += 1000
                    return now
                }
            })
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        _ = try zone.push(insert)
        let answer = try zone.push(author.save(Self.blocks(record, 0..<100)))
        #expect(answer.acknowledgements.map(\.rejection?.code) == [nil])
        #expect(try zone.records()[0].cells.count == 102)
    }

    @Test func `the cells of a row keep their order, whatever is put`() throws {
        var generator = SeededGenerator(seed: 0xCE11)
        for _ in 0..<200 {
            var expected: [Int64: [UInt64]] = [:]
            var list = CellList()
            for _ in 0..<30 {
                let property = Int64.random(in: 0..<12, using: &generator)
                let times = (0..<UInt64.random(in: 1...3, using: &generator)).map { $0 + 1 }
                if times.count == 1 {
                    list.put(Self.cell(property, 9))
                    expected[property] = [9] + (expected[property] ?? []).dropFirst()
                } else {
                    list.put(times.map { Self.cell(property, $0) }, of: property)
                    expected[property] = times
                }
                if Bool.random(using: &generator) {
                    list = try CellList(
                        decoding: list.encoded(timestamp: 0, author: 0), timestamp: 0, author: 0)
                }
                #expect(list.siblings(of: property).map(\.timestamp) == expected[property])
            }
            let order = expected.sorted { $0.key < $1.key }
            let properties = order.flatMap { each in each.value.map { _ in each.key } }
            #expect(list.cells.map(\.property) == properties)
            #expect(list.cells.map(\.timestamp) == order.flatMap(\.value))
            #expect(list.count == list.cells.count)
        }
    }

    private static func cell(_ property: Int64, _ timestamp: UInt64) -> CellList.Cell {
        CellList.Cell(
            property: property, timestamp: timestamp, author: 1,
            value: StoredBytes([ValueTag.null]))
    }
}
