import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// The work of a push grows with its input, and not faster, in each direction in which a client can
/// make it large.
@Suite struct PushGrowthTests {
    private static let pushes: [GrowingWork] = [
        GrowingWork("change sets", from: 100) { try changeSets($0) },
        GrowingWork("change sets that the zone holds", from: 100) {
            try changeSets($0, areHeld: true)
        },
        GrowingWork("change sets that were rejected before", from: 100) {
            try changeSets($0, areHeld: true, areRejected: true)
        },
        GrowingWork("records of a block", from: 1000) { try records($0) },
        GrowingWork("properties of a record, each in a block of its own", from: 200) {
            try save($0, properties)
        },
        GrowingWork("links of a record", from: 500) {
            try save($0) { records, _ in records.dropFirst().map { .befriend(records[0], $0) } }
        },
        GrowingWork("changes of a link that has as many tags", from: 80) { try linkChanges($0) },
        GrowingWork("writes of a value that has as many concurrent ones", from: 60) {
            try siblingWrites($0)
        },
        GrowingWork("replicas in the causal context", from: 100) { try causes($0) },
        GrowingWork("deleted records, each in a block of its own", from: 250) {
            try save($0) { records, _ in records.map { .delete($0) } }
        },
        GrowingWork("yielding deletes of a record", from: 500) { try save($0, yieldingDeletes) },
        GrowingWork("saves that a quota refuses", from: 50) {
            try beyondQuota($0, makingRoom: false)
        },
        GrowingWork("saves that make room for each other", from: 50) {
            try beyondQuota($0, makingRoom: true)
        },
        GrowingWork("parts of a save", from: 50) { try parts($0) },
        GrowingWork("names of entities", from: 100) { try save($0, strangers) },
        GrowingWork("differences of a counter, each in a block of its own", from: 200) {
            try save($0, differences)
        },
        GrowingWork("links that are removed", from: 500) {
            try save($0) { records, stamp in
                records.dropFirst().map { .unfriend(records[0], $0, seen: [stamp]) }
            }
        },
        GrowingWork("voids", from: 100) { try entries($0) { ChangeSet(voiding: $0, for: reason) } },
        GrowingWork("entries of lost change sets", from: 100) {
            try entries($0) { ChangeSet(lost: $0.dot) }
        },
        GrowingWork("change sets that a hook sees", from: 50) {
            try changeSets($0, hook: acceptingHook)
        },
        GrowingWork("records that a hook sees", from: 200) {
            try records($0, hook: acceptingHook)
        },
        GrowingWork("properties of a record that a hook sees", from: 100) {
            try save($0, hook: acceptingHook, properties)
        },
        GrowingWork("links that a hook sees", from: 200) {
            try save($0, hook: acceptingHook) { records, _ in
                records.dropFirst().map { .befriend(records[0], $0) }
            }
        },
    ]

    private static let reason = SaveRejection(.malformed, "It is wrong.")

    /// A hook that accepts everything.
    private static var acceptingHook: ValidationHook { ValidationHook(FakeChannel { _ in nil }) }

    @Test(arguments: pushes)
    private func `the work of a push is at most proportional`(push: GrowingWork) throws {
        try push.expectProportional()
    }

    private static func changeSets(
        _ size: Int, areHeld: Bool = false, areRejected: Bool = false,
        hook: ValidationHook? = nil
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite, hook: hook)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        _ = try zone.push(insert)
        let sets = (0..<size).map { number in
            author.save([
                areRejected ? .person(record, name: "Again") : .rename(record, to: "\(number)")
            ])
        }
        if areHeld { _ = try zone.push(sets) }
        return {
            let answer = try zone.push(sets)
            #expect(answer.acknowledgements.count == size)
            let rejected = answer.acknowledgements.filter { $0.rejection != nil }
            #expect(rejected.count == (areRejected ? size : 0))
        }
    }

    /// Entries without a save.
    private static func entries(
        _ size: Int, _ entry: (ChangeSet) -> ChangeSet
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let sets = (0..<size).map { _ in entry(author.save([])) }
        return { try expectAccepted(try zone.push(sets), count: size) }
    }

    private static func records(
        _ size: Int, hook: ValidationHook? = nil
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite, hook: hook)
        var author = TestAuthor(1)
        let insert = author.insertPeople(size + 1).0
        return { try expectAccepted(try zone.push(insert)) }
    }

    /// A save that changes one record more than its size.
    ///
    /// - Parameter blocks: Makes the save from the records and the stamp of their insert.
    private static func save(
        _ size: Int, hook: ValidationHook? = nil, _ blocks: ([RecordID], Stamp) -> [ChangeBlock]
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite, hook: hook)
        var author = TestAuthor(1)
        let (insert, records) = author.insertPeople(size + 1)
        _ = try zone.push(insert)
        let save = author.save(blocks(records, insert.stamp))
        return { try expectAccepted(try zone.push(save)) }
    }

    private static func properties(_ records: [RecordID], _ stamp: Stamp) -> [ChangeBlock] {
        records.dropFirst().map { record in
            .update(
                RowBlock(
                    entity: "Person", records: [records[0]],
                    properties: [WireProperty(name: WireName("p\(record.number)"), type: .string)],
                    columns: [[.string("x")]]))
        }
    }

    private static func strangers(_ records: [RecordID], _ stamp: Stamp) -> [ChangeBlock] {
        records.dropFirst().map { record in
            .insert(
                RowBlock(
                    entity: WireName("Entity\(record.number)"),
                    records: [RecordID(replica: record.replica, number: record.number + 1 << 20)],
                    properties: [], columns: []))
        }
    }

    private static func differences(_ records: [RecordID], _ stamp: Stamp) -> [ChangeBlock] {
        let visits = WireProperty(name: "visits", type: .integer64, rule: .counter)
        return records.dropFirst().map { _ in
            .add(
                RowBlock(
                    entity: "Person", records: [records[0]], properties: [visits],
                    columns: [[.integer(1)]]))
        }
    }

    private static func yieldingDeletes(_ records: [RecordID], _ stamp: Stamp) -> [ChangeBlock] {
        records.dropFirst().map { record in
            let seen = Stamp(
                timestamp: HybridTimestamp(rawValue: record.number), replica: stamp.replica)
            return .yieldingDelete(
                YieldingDeleteBlock(
                    entity: "Person", deletes: [.init(record: records[0], stampsSeen: [seen])]))
        }
    }

    private static func expectAccepted(_ answer: PushAnswer, count: Int? = nil) throws {
        #expect(answer.refusal == nil)
        if let count {
            #expect(answer.acknowledgements.count == count)
            return
        }
        #expect(answer.acknowledgements.last?.rejection == nil)
    }

    private static func linkChanges(_ size: Int) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, records) = author.insertPeople(2)
        let adds = (0..<size).map { _ in author.save([.befriend(records[0], records[1])]) }
        _ = try zone.push([insert] + adds)
        let unseen = Stamp(timestamp: HybridTimestamp(rawValue: 1), replica: author.replica)
        let change = author.save(
            (0..<20 * size).map { number in
                number % 2 == 0
                    ? .befriend(records[0], records[1])
                    : .unfriend(records[0], records[1], seen: [unseen])
            })
        return {
            try expectAccepted(try zone.push(change))
            #expect(try zone.records()[0].links.map(\.tags.all.count) == [size + 1])
        }
    }

    private static func siblingWrites(_ size: Int) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        let note = WireProperty(name: "note", type: .string, rule: .keepBoth)
        func write(_ text: String) -> ChangeBlock {
            .write(
                SiblingBlock(
                    entity: "Person", property: note,
                    writes: [.init(record: record, value: .string(text), observedTags: [])]))
        }
        let writes = (0..<size).map { author.save([write("\($0)")]) }
        _ = try zone.push([insert] + writes)
        let change = author.save((0..<20 * size).map { write("\($0)") })
        return {
            try expectAccepted(try zone.push(change))
            #expect(try zone.records()[0].cells.count == 2 + size + 1)
        }
    }

    private static func causes(_ size: Int) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        let saves = (0..<size).map { number in
            var author = TestAuthor(UInt64(number + 2))
            return author.insertPerson().0
        }
        _ = try zone.push(saves)
        var author = TestAuthor(1)
        author.context = CausalContext(
            beyond: saves.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
        let save = author.insertPerson().0
        return { try expectAccepted(try zone.push(save)) }
    }

    private static func beyondQuota(
        _ size: Int, makingRoom: Bool
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        var (insert, record) = author.insertPerson()
        _ = try zone.push(insert)
        var quotas = ZoneQuotas()
        quotas[.records] = .most(1)
        try zone.service.setQuotas(quotas)
        var sets: [ChangeSet] = []
        for _ in 0..<size {
            let former = record
            (insert, record) = author.insertPerson()
            sets += [insert]
            if makingRoom { sets.append(author.save([.delete(former)])) }
        }
        // All saves are tried together, up to the one that deletes something.
        if !makingRoom { sets.append(author.save([.delete(author.newRecord())])) }
        return {
            let answer = try zone.push(sets)
            #expect((answer.refusal == nil) == makingRoom)
        }
    }

    private static func parts(_ size: Int) throws -> () throws -> Void {
        var limits = ZoneLimits()
        limits.bodyBytes = 512
        let zone = try TestZone(
            .sqlite, limits: limits, hook: ValidationHook(FakeChannel { _ in nil }))
        var author = TestAuthor(1)
        let (save, parts) = author.insertInParts(size)
        for part in parts {
            _ = try zone.service.stage(
                StageRequest(part: SavePart(of: part), start: 0, bytes: part))
        }
        return { try expectAccepted(try zone.push(save)) }
    }
}
