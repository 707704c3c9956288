import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the draft of a transaction, which is the same for all back ends.
@Suite struct ZoneDraftTests {
    /// All rows of a zone as text, in the order of their keys.
    private func dump(_ zone: TestZone) throws -> [String] {
        var lines: [String] = []
        try zone.storage.read { reader in
            var row = try reader.zoneRow()
            // The back ends have epochs and an identity of their own.
            row.history = ""
            lines.append("\(row.position) \(row.running) \(row.checksum) \(row.next) \(row.use)")
            try reader.forEachRows { rows in
                switch rows {
                case .replicas(let rows): lines += rows.map { "\($0)" }
                case .entities(let rows): lines += rows.map { "\($0)" }
                case .properties(let rows): lines += rows.map { "\($0)" }
                case .entries(let rows): lines += rows.map { "\($0)" }
                case .records(let rows): lines += rows.map { "\($0)" }
                case .links(let rows): lines += rows.map { "\($0)" }
                case .acknowledgements(let rows): lines += rows.map { "\($0)" }.sorted()
                case .logParts(let rows): lines += rows.map { "\($0)" }.sorted()
                case .pieces(let rows): lines += rows.map { "\($0)" }.sorted()
                }
            }
        }
        return lines
    }

    /// The saves of a random history, between them some that are rejected, and refused ones.
    private func saves(seed: UInt64) throws -> [ChangeSet] {
        var random = SeededGenerator(seed: seed)
        var sets: [ChangeSet] = []
        var author = TestAuthor(0xDA)
        let (insert, record) = author.insertPerson()
        sets.append(insert)
        // So many rows are written at once.
        let many = (0..<250).map { _ in author.newRecord() }
        let block = RowBlock(
            entity: "Person", records: many, properties: [ChangeBlock.age],
            columns: [ValueColumn(many.indices.map { PropertyValue.integer(Int64($0)) })])
        sets.append(
            author.save([
                .insert(block), .delete(RecordBlock(entity: "Person", records: [many[7]])),
            ]))
        for (number, set) in try RandomHistory(seed: seed, rules: .all).changeSets.enumerated() {
            sets.append(set)
            guard Int.random(in: 0..<6, using: &random) == 0 else { continue }
            // Names are assigned before the record that is there makes the save invalid.
            let other = RowBlock(
                entity: WireName("Rejected\(number)"), records: [author.newRecord()],
                properties: [WireProperty(name: WireName("p\(number)"), type: .string)],
                columns: [["x"]])
            sets.append(
                author.save([.insert(other), .delete(record), .person(record, name: "Again")]))
            sets.append(author.insertPerson("Valid").0)
        }
        return sets
    }

    @Test(arguments: TestLength.seeds(8))
    func `all back ends hold the same bytes, however saves are pushed`(seed: UInt64) throws {
        var dumps: [[String]] = []
        let sets = try saves(seed: seed)
        for kind in StorageKind.allCases {
            for isTogether in [true, false] {
                let zone = try TestZone(kind)
                let pushes = isTogether ? [sets] : sets.map { [$0] }
                for push in pushes { #expect(try zone.push(push).refusal == nil) }
                dumps.append(try dump(zone))
                #expect(try zone.service.verify().isValid)
            }
        }
        #expect(dumps[0].count > sets.count)
        for other in dumps.dropFirst() { #expect(other == dumps[0]) }
    }

    private struct Failure: Error {}

    @Test(.everyStore, arguments: [false, true])
    func `a part that fails leaves nothing, also if it was written`(isSent: Bool) throws {
        let (zone, expected) = (
            try TestZone(StorageKind.current), try TestZone(StorageKind.current)
        )
        for (zone, fails) in [(zone, true), (expected, false)] {
            try zone.storage.write { draft in
                let row = { (number: UInt64, name: WireName, cells: [UInt8]) in
                    StateRow(
                        key: RecordKey(
                            ordinal: try draft.ordinal(of: TestAuthor(1).replica), number: number),
                        entity: try draft.number(ofEntity: name), timestamp: 1, author: 0,
                        cells: cells)
                }
                try draft.insert([row(1, "Person", [1]), row(2, "Person", [2])])
                let link = LinkKey(
                    left: try row(1, "Person", []).key,
                    property: try draft.number(ofProperty: ChangeBlock.friends),
                    right: try row(2, "Person", []).key)
                try draft.put([link: [7, 7]])
                if fails {
                    #expect(throws: Failure.self) {
                        try draft.atomically {
                            try draft.insert([row(3, "Other", [3])])
                            _ = try draft.ordinal(of: TestAuthor(2).replica)
                            try draft.put([link: [8]])
                            if isSent { try draft.send() }
                            try draft.replace([row(2, "Person", [4, 4])])
                            try draft.remove([row(1, "Person", []).key]) { _, _ in }
                            try draft.insert([row(1, "Other", [5])])
                            throw Failure()
                        }
                    }
                }
                try draft.insert([row(4, "Third", [6])])
                #expect(draft.use().records == 3 && draft.use().bytes == 2 + 3 + 6 + 7 + 5)
            }
        }
        let lines = try dump(zone)
        #expect(try lines == dump(expected))
        #expect(lines.contains { $0.contains("[7, 7]") })
    }

    @Test func `changes since the last part can be undone and repeated`() {
        let memory = DraftMemory()
        let table = DraftTable<Int, [UInt8]>(memory) { $0.count }
        table.take([1], of: 1)
        table.take(nil, of: 2)
        table.put([1, 1], at: 1)
        table.keep()
        let kept = memory.byteCount
        table.put(nil, at: 1)
        table.put([2], at: 2)
        table.put([2, 2], at: 2)
        table.stepBack()
        #expect(table[1]?.row == [1, 1] && table[2]?.row == nil && memory.byteCount == kept)
        let first = table.takeChanges { $1 }
        #expect(first.inserted.isEmpty && first.updated == [[1, 1]])
        table.stepForward()
        #expect(table.hasChanges)
        let second = table.takeChanges { $1 }
        #expect(second.inserted == [[2, 2]] && second.removed == [1])
        #expect(!table.hasChanges)
        table.forget()
        #expect(memory.byteCount == 0 && table[2] == nil)
    }
}
