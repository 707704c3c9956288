import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of saves that are larger than a part.
@Suite struct PartTests {
    private let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    private func sets(_ store: Store) throws -> [ChangeSet] {
        try store.read { try $0.changeSets(after: 0, limit: .max) }.map(\.changeSet)
    }

    /// Saves every kind of operation, so that each kind is cut.
    private func saveEverything(_ store: Store) throws {
        let people = try store.insertPeople(40)
        let team = try store.insert("Team", ["title": .string("T")])
        let person = scenario.person
        let teams = try #require(person.relationships.first { $0.name == "teams" })
        for person in people.prefix(3) { try store.link(person, "teams", team) }
        var request = SaveRequest(author: "all")
        let ids = Array(try store.reserveNumbers(30))
        request.inserts = [
            .init(
                entity: person,
                rows: ids.map {
                    (
                        $0,
                        store.slots(of: person, ["name": .string("new"), "boss": .integer(ids[0])])
                    )
                })
        ]
        let age = try #require(person.slotIndex(named: "age"))
        request.updates = [
            .init(
                entity: person, slots: [age],
                rows: try people[10..<30].map { id in
                    let row = try #require(try store.row("Person", id))
                    var slots = row.slots
                    slots[age] = .integer(-5)
                    return (id, row.version, slots)
                })
        ]
        request.links =
            ids.map { .init(relationship: teams, owner: $0, other: team, isAdded: true) }
            + people.prefix(3).map {
                .init(relationship: teams, owner: $0, other: team, isAdded: false)
            }
        request.deletes = [
            .init(
                entity: person,
                rows: try people[30...].map { id in
                    (id: id, version: try #require(try store.row("Person", id)).version)
                })
        ]
        _ = try store.save(request)
    }

    @Test func `saves that fit into one part are encoded as they always were`() throws {
        let replica = ReplicaID(high: 1, low: 1)
        let a = try scenario.open("a", replica: replica)
        let b = try scenario.open("b", replica: replica, partBytes: 1 << 30)
        for store in [a, b] { try saveEverything(store) }
        #expect(try sets(a).map { $0.encoded() } == sets(b).map { $0.encoded() })
        #expect(try sets(a).allSatisfy { $0.kind == .save })
    }

    @Test(arguments: [1, 40, 200])
    func `parts form one set of the log and give the state of the whole save`(partBytes: Int) throws
    {
        let whole = try scenario.open("whole", replica: ReplicaID(high: 1, low: 1))
        try saveEverything(whole)
        let a = try scenario.open("a", replica: ReplicaID(high: 1, low: 1), partBytes: partBytes)
        try saveEverything(a)
        let (cut, uncut) = (try sets(a), try sets(whole))
        #expect(cut.count == uncut.count)
        #expect(try #require(cut.last).parts().count > (partBytes < 200 ? 5 : 1))
        #expect(try a.canonicalHash() == whole.canonicalHash())
        #expect(try a.check().isValid)
        // Every block has the same content, in the same order.
        for (cut, uncut) in zip(cut, uncut) {
            var touched: [RecordID] = []
            try a.forEachBlock(of: cut) { touched += $0.touchedRecords }
            #expect(try touched == uncut.decodedPayload().blocks.flatMap(\.touchedRecords))
        }
        let b = try scenario.open("b")
        try scenario.zone.push(from: a)
        let changed = try scenario.zone.pull(into: b)
        #expect(try b.canonicalHash() == whole.canonicalHash())
        #expect(changed.entities.flatMap(\.inserted).count == 61)
        #expect(try b.check().isValid)
        let reference = try scenario.zone.reference()
        #expect(reference.canonicalHash == (try b.canonicalHash()))
    }

    @Test func `parts are applied when the last one has arrived, and not before`() throws {
        let a = try scenario.open("a", partBytes: 100)
        try saveEverything(a)
        try scenario.zone.push(from: a)
        var b = try scenario.open("b")
        let before = try b.canonicalHash()
        let page = try scenario.zone.page(for: b)
        var rounds = 0
        while let lacking = try b.lackingPart(of: page) {
            #expect(throws: StoreError.self) { try b.apply(page) }
            #expect(try b.canonicalHash() == before && b.syncState().cursor == nil)
            // A few bytes come at a time, each time after a restart, and once more than needed.
            let start = lacking.heldBytes
            let piece = try scenario.zone.bytes(of: lacking.part)[start...].prefix(70)
            for _ in 0..<2 { try b.keep(Array(piece), of: lacking.part, at: start) }
            rounds += 1
            guard rounds.isMultiple(of: 5) else { continue }
            b.close()
            b = try scenario.open("b")
        }
        #expect(rounds > 10)
        _ = try b.apply(page)
        #expect(try b.canonicalHash() == a.canonicalHash())
    }

    @Test func `a save in parts is not accepted with a different part`() throws {
        let a = try scenario.open("a", partBytes: 100)
        try a.insertPeople(30)
        try scenario.zone.push(from: a)
        let b = try scenario.open("b")
        let page = try scenario.zone.page(for: b)
        let part = try #require(try b.lackingPart(of: page)).part
        let right = try scenario.zone.bytes(of: part)
        var wrong = right
        wrong[wrong.count / 2] ^= 1
        let error = #expect(throws: StoreError.self) { try b.keep(wrong, of: part, at: 0) }
        #expect(error?.code == .digestMismatch)
        // The wrong part is removed, a gap is not filled, and surplus bytes are not accepted.
        for (start, bytes) in [(5, Array(right[5...])), (0, right + [0]), (0, [])] {
            try b.keep(bytes, of: part, at: start)
            #expect(try b.lackingPart(of: page) == LackingPart(part: part, heldBytes: 0))
        }
        // A claim of another size does not make the beginning pass for the whole.
        let longer = SavePart(digest: part.digest, byteCount: part.byteCount + 1)
        try b.keep(wrong, of: longer, at: 0)
        #expect(try b.lackingPart(of: page)?.heldBytes == 0)
        try b.keep(right, of: part, at: 0)
        #expect(try b.lackingPart(of: page)?.part != part)
        try scenario.zone.pull(into: b)
        #expect(try b.canonicalHash() == a.canonicalHash())
    }

    @Test func `parts travel by bundles, and wait together if causes are missing`() throws {
        let a = try scenario.open("a", partBytes: 80)
        try a.insertPeople(20)
        let first = scenario.path("first.bundle")
        _ = try a.exportBundle(to: first)
        try saveEverything(a)
        let second = scenario.path("second.bundle")
        _ = try a.exportBundle(
            to: second, lacking: BundleBase(senderOf: try BundleFile(first).check().header))
        let b = try scenario.open("b")
        let waiting = try b.importBundle(from: second) { _ in }
        #expect(waiting.appliedCount == 0 && waiting.waitingCount > 0)
        let outcome = try b.importBundle(from: first) { _ in }
        #expect(outcome.waitingCount == 0)
        #expect(try b.canonicalHash() == a.canonicalHash())
        #expect(try b.importBundle(from: second) { _ in }.appliedCount == 0)
        // Change sets that came in a bundle are pushed.
        try scenario.zone.push(from: b)
        let c = try scenario.open("c")
        try scenario.zone.pull(into: c)
        #expect(try c.canonicalHash() == a.canonicalHash())
        // Damage is noticed before anything is applied.
        var bytes = try Data(contentsOf: URL(filePath: first))
        bytes[bytes.count / 3] ^= 4
        try bytes.write(to: URL(filePath: first))
        let error = #expect(throws: StoreError.self) { try c.importBundle(from: first) { _ in } }
        #expect(error?.code == .damagedBundle)
    }

    @Test(arguments: ["start = 1048576", "start = 0", "start = 2097152"])
    func `parts that have lost a piece are sent to no replica`(piece: String) throws {
        let a = try scenario.open("a", partBytes: 1 << 20)
        try a.insertPerson(String(repeating: "x", count: 5 << 19))
        let set = try #require(try sets(a).last)
        #expect(try set.parts().map(\.byteCount).first ?? 0 > 2 << 20)
        let bundle = scenario.path("a.bundle")
        _ = try a.exportBundle(to: bundle)
        let before = try Data(contentsOf: URL(filePath: bundle))
        try Connection(path: a.path).execute("DELETE FROM ab_part WHERE \(piece)")
        let exporting = #expect(throws: StoreError.self) { try a.exportBundle(to: bundle) }
        #expect(exporting?.code == .corrupt)
        #expect(exporting?.message.contains("bytes are stored") == true)
        #expect(try Data(contentsOf: URL(filePath: bundle)) == before)
        let reading = #expect(throws: StoreError.self) { try a.forEachBlock(of: set) { _ in } }
        #expect(reading?.code == .corrupt)
    }

    @Test func `parts with a changed byte are sent to no replica`() throws {
        let a = try scenario.open("a", partBytes: 1 << 20)
        try a.insertPerson(String(repeating: "x", count: 5 << 19))
        try Connection(path: a.path).execute(
            """
            UPDATE ab_part SET bytes = CAST(x'00' || substr(bytes, 2) AS BLOB)
            WHERE start = 1048576
            """)
        let error = #expect(throws: StoreError.self) {
            try a.exportBundle(to: scenario.path("a.bundle"))
        }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("not those that were saved") == true)
        #expect(try scenario.partialFiles() == [])
    }

    @Test func `a save in parts that fails leaves no part behind`() throws {
        let a = try scenario.open("a", partBytes: 80)
        let people = try a.insertPeople(30)
        let held = try a.read { try $0.connection.rows("SELECT count(*) FROM ab_part") }
        var request = SaveRequest()
        let ids = Array(try a.reserveNumbers(30))
        request.inserts = [
            .init(
                entity: scenario.person,
                rows: ids.map { ($0, a.slots(of: scenario.person, ["name": .string("x")])) })
        ]
        request.deletes = [.init(entity: scenario.person, rows: [(people[0], .none)])]
        let error = #expect(throws: StoreError.self) { try a.save(request) }
        #expect(error?.code == .mergeConflict)
        #expect(try a.read { try $0.connection.rows("SELECT count(*) FROM ab_part") } == held)
        #expect(try sets(a).count == 1)
    }
}
