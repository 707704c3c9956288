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

    /// What a record has many of, with a number of it.
    enum Large: Int, CaseIterable, Sendable {
        case values = 9000
        case seenStamps = 90_000
        case tags = 1000
    }

    /// Pushes change sets until all are taken.
    ///
    /// - Returns: The numbers of those that each push has taken.
    private func pushAll(_ sets: [ChangeSet], to zone: TestZone) throws -> [Int] {
        var (counts, rest): ([Int], ArraySlice<ChangeSet>) = ([], sets[...])
        while !rest.isEmpty {
            let answer = try zone.push(Array(rest))
            let count = answer.acknowledgements.count
            #expect(answer.refusal?.code == (count == rest.count ? nil : .overloaded))
            #expect(answer.acknowledgements.allSatisfy { $0.rejection == nil })
            rest = rest.dropFirst(try #require(count > 0 ? count : nil))
            counts.append(count)
        }
        return counts
    }

    @Test(arguments: Large.allCases)
    func `saves that change what is large take turns with other pushes`(large: Large) throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, records) = author.insertPeople(2)
        let numbers = 0..<large.rawValue
        let saves: [ChangeSet] =
            switch large {
            case .values: [author.save(Self.blocks(records[0], numbers))]
            case .seenStamps: [author.save([Self.delete(records[0], seeing: numbers)])]
            case .tags: numbers.map { _ in author.save([.befriend(records[0], records[1])]) }
            }
        _ = try pushAll([insert] + saves, to: zone)
        let most = PushProcessor.mostChanged / large.rawValue
        let changes = (0..<most + most / 4 + 2).map { number in
            author.save([
                large == .tags
                    ? .befriend(records[0], records[1])
                    : .rename(records[0], to: "\(number)")
            ])
        }
        let counts = try pushAll(changes, to: zone)
        #expect(counts.count == 2 && counts[0] <= most + 1)
        #expect(counts.reduce(0, +) == changes.count)
    }

    private static func delete(_ record: RecordID, seeing numbers: Range<Int>) -> ChangeBlock {
        let stamps = numbers.map {
            Stamp(
                timestamp: HybridTimestamp(rawValue: UInt64($0 + 1)), replica: record.replica)
        }
        return .yieldingDelete(
            YieldingDeleteBlock(
                entity: "Person", deletes: [.init(record: record, stampsSeen: stamps)]))
    }

    @Test func `small records are changed by all saves of a push`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        let saves = (0..<1000).map { author.save([.rename(record, to: "\($0)")]) }
        #expect(try pushAll([insert] + saves, to: zone) == [1001])
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
