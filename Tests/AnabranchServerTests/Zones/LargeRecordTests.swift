import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Saves that name more bytes of records or more links than a merge holds at a time.
@Suite(.everyStore) struct LargeRecordTests {
    private static let text = WireProperty(name: "text", type: .string)

    /// A zone with records of a mebibyte each, and their author.
    private func zone(
        records count: Int
    ) throws -> (zone: TestZone, author: TestAuthor, records: [RecordID]) {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let records = (0..<count).map { _ in author.newRecord() }
        let value = PropertyValue.string(String(repeating: "long", count: 1 << 18))
        for record in records {
            let insert = ChangeBlock.insert(
                RowBlock(
                    entity: "Person", records: [record], properties: [Self.text],
                    columns: [[value]]))
            _ = try zone.push(author.save([insert]))
        }
        return (zone, author, records)
    }

    private func update(_ records: [RecordID], age: Int64) -> ChangeBlock {
        .update(
            RowBlock(
                entity: "Person", records: records, properties: [ChangeBlock.age],
                columns: [ValueColumn(repeatElement(.integer(age), count: records.count))]))
    }

    @Test func `a save that changes and one that deletes many large records`() throws {
        var (zone, author, records) = try zone(records: 40)
        _ = try zone.push(author.save([update(records, age: 1)]))
        let changed = try zone.records()
        #expect(changed.map(\.cells.count) == records.map { _ in 2 })
        #expect(try zone.storage.read { try $0.checksum() == $0.summed() })
        let both = author.save([
            update(records, age: 2), .delete(RecordBlock(entity: "Person", records: records)),
        ])
        _ = try zone.push(both)
        #expect(try zone.records().isEmpty)
        #expect(try zone.storage.read { try $0.checksum() } == .zero)
        #expect(try zone.storage.read { try $0.use().records } == 0)
    }

    @Test func `rows are read up to a limit, and a larger one alone after its reservation`() throws
    {
        let (zone, _, records) = try zone(records: 5)
        struct Refusal: Error {}
        try zone.storage.write { writer in
            let keys = try records.map {
                RecordKey(ordinal: try writer.ordinal(of: $0.replica), number: $0.number)
            }
            let unknown = RecordKey(ordinal: 0, number: 1 << 30)
            let some = try writer.rows(for: [unknown] + keys, byteLimit: 3 << 20) { _ in
                throw Refusal()
            }
            #expect(Set(some.rows.keys) == Set(keys.prefix(2)) && some.keyCount == 3)
            var reserved: [Int] = []
            let one = try writer.rows(for: keys, byteLimit: 1000) { reserved.append($0) }
            #expect(one.rows.keys.elementsEqual(keys.prefix(1)) && one.keyCount == 1)
            #expect(reserved.count == 1 && reserved[0] > 1 << 20)
            #expect(throws: Refusal.self) {
                try writer.rows(for: keys, byteLimit: 1000) { _ in throw Refusal() }
            }
        }
    }

    @Test(arguments: [10, 20, 40])
    func `a writer keeps few bytes, however much it reads and changes`(count: Int) throws {
        var (zone, author, records) = try zone(records: count)
        let save = author.save([
            update(records, age: 1), .delete(RecordBlock(entity: "Person", records: records)),
        ])
        try zone.storage.write { writer in
            var most = 0
            _ = try StateMerger.merge(
                save, ZoneParts(writer.stored), into: writer,
                proceeding: { most = max(most, writer.memory.byteCount) })
            #expect(most > 1 << 20 && most <= 2 * DraftMemory.limit + 2 << 20)
        }
    }

    @Test func `a merge that others leave no memory for is refused, and can be repeated`() throws {
        var (zone, author, records) = try zone(records: 2)
        let budget = MemoryBudget(byteCount: 16 << 20)
        let save = author.save([update(records, age: 1)])
        let request = PushRequest(
            epoch: try zone.service.head().epoch, changeSets: [save.encoded()])
        #expect(budget.take(15 << 20))
        let refused = try zone.service.push(request, from: nil, RequestMemory(budget))
        #expect(refused.refusal?.code == .overloaded && refused.acknowledgements.isEmpty)
        #expect(try zone.records().map(\.cells.count) == [1, 1])
        budget.giveBack(15 << 20)
        let memory = RequestMemory(budget)
        let answer = try zone.service.push(request, from: nil, memory)
        #expect(answer.refusal == nil && answer.acknowledgements.map(\.rejection) == [nil])
        #expect(try zone.records().map(\.cells.count) == [2, 2])
        #expect(memory.byteCount < 1 << 20, "the memory of the rows was given back")
    }

    @Test func `a removal reports each link once, however many there are`() throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let (insert, hub) = author.insertPerson()
        let others = (0..<12_000).map { _ in author.newRecord() }
        let rows = RowBlock(
            entity: "Person", records: others, properties: [ChangeBlock.age],
            columns: [ValueColumn(repeatElement(.integer(1), count: others.count))])
        let ends = others.map { LinkBlock.Link(left: $0, right: hub) }
        let links = LinkBlock(
            entity: "Person", property: ChangeBlock.friends,
            links: ends + [.init(left: hub, right: hub), .init(left: hub, right: others[0])])
        _ = try zone.push(insert, author.save([.insert(rows), .link(links)]))
        #expect(try zone.storage.read { try $0.linkCount() } == 12_002)
        let before = try zone.storage.read { try $0.use().bytes }
        _ = try zone.push(author.save([.delete(hub)]))
        #expect(try zone.storage.read { try $0.linkCount() } == 0)
        #expect(try zone.storage.read { try $0.use().bytes } < before - 12_002)
        #expect(try zone.storage.read { try $0.checksum() == $0.summed() })
        _ = try zone.push(author.save([.delete(RecordBlock(entity: "Person", records: others))]))
        #expect(try zone.storage.read { try $0.checksum() } == .zero)
    }

    @Test func `links with many tags are read up to a limit`() throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let records = (0..<5).map { _ in author.newRecord() }
        try zone.storage.write { writer in
            let ordinal = try writer.ordinal(of: author.replica)
            let property = try writer.number(ofProperty: ChangeBlock.friends)
            let links = records.map {
                LinkKey(
                    left: RecordKey(ordinal: ordinal, number: $0.number), property: property,
                    right: RecordKey(ordinal: ordinal, number: 1))
            }
            let tags = [UInt8](repeating: 7, count: 1000)
            try writer.put(Dictionary(uniqueKeysWithValues: links.dropFirst().map { ($0, tags) }))
            for _ in 0..<2 {
                let some = try writer.tags(of: links, byteLimit: 2500)
                #expect(Set(some.tags.keys) == Set(links[1...2]) && some.keyCount == 3)
                let one = try writer.tags(of: links, byteLimit: 10)
                #expect(one.tags.keys.elementsEqual(links[1...1]) && one.keyCount == 2)
                // Now the storage holds the tags, and the draft has forgotten them.
                try writer.send()
                writer.forget()
            }
        }
    }
}
