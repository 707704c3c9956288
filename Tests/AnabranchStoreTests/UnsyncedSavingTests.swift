import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `Saving unsynced records` {
    private let scenario: StoreScenario

    init() throws {
        var declaration = try StoreScenario.people().declaration
        declaration.entities.append(
            EntityDeclaration("Draft") { AttributeDeclaration("text", .string) })
        declaration.configurations = [ModelConfiguration("Local", "Draft", isSynced: false)]
        scenario = try StoreScenario(model: try ManagedObjectModel(declaration))
    }

    private func drafts(_ texts: [String], in store: Store) throws -> SaveRequest {
        let draft = try #require(store.model.entity(named: "Draft"))
        let ids = try store.reserveNumbers(texts.count)
        var request = SaveRequest(author: "app", name: "window")
        request.inserts = [
            .init(entity: draft, rows: zip(ids, texts).map { ($0, [.string($1)]) })
        ]
        return request
    }

    @Test func `takes positions of the log and no numbers of change sets`() throws {
        let store = try scenario.open("a")
        let first = try store.save(drafts(["a", "b"], in: store))
        let person = try store.insertPerson("Anna")
        let second = try store.save(drafts(["c"], in: store))
        #expect(first.dot == nil && second.dot == nil)
        #expect([first.version.position, second.version.position] == [1, 3])
        #expect(try store.row("Person", person)?.version.position == 2)
        #expect(try store.read { try $0.logPosition() } == 3)
        #expect(
            try store.read { try $0.changeSets(after: 0, limit: 9) }.map(\.localPosition) == [2])
        let saves = try store.read { try $0.unsyncedSaves(after: 1, limit: 9) }
        #expect(saves.map(\.position) == [3] && saves.map(\.name) == ["window"])
    }

    @Test func `writes no parts, however large the save is`() throws {
        let store = try scenario.open("a", partBytes: 1000)
        let texts = (0..<100).map { String(repeating: "x", count: 50) + "\($0)" }
        let result = try store.save(drafts(texts, in: store))
        #expect(result.dot == nil)
        #expect(try scenario.sql("a", "SELECT count(*) FROM ab_part") == [[.integer(0)]])
        #expect(try scenario.sql("a", "SELECT count(*) FROM Draft") == [[.integer(100)]])
        var mixed = try drafts(texts, in: store)
        let person = try #require(store.model.entity(named: "Person"))
        mixed.inserts.append(
            .init(
                entity: person,
                rows: try store.reserveNumbers(1).map {
                    ($0, [PropertyValue](repeating: .null, count: person.slots.count))
                }))
        #expect(try store.save(mixed).dot?.sequence == 1)
        let payload = try store.read { try $0.changeSets(after: 0, limit: 1) }[0].changeSet.payload
        #expect(payload.count < 200)
        #expect(try store.check().isValid)
    }

    @Test func `in pieces keeps them all`() throws {
        let store = try scenario.open("a")
        var pieces = [try drafts(["a", "b"], in: store), try drafts(["c"], in: store)]
        var saves = [
            SaveInPieces(author: "import") { pieces.isEmpty ? nil : pieces.removeFirst() }
        ]
        try store.save { saves.popLast() }
        #expect(try store.read { try $0.changeSets(after: 0, limit: 1) }.isEmpty)
        let changes = try store.read { try $0.unsyncedSaves(after: 0, limit: 9) }[0].changes
        #expect(changes.map(\.ids.count) == [2, 1])
    }

    @Test func `works with a clock that was set back`() throws {
        let store = try scenario.open("a")
        _ = try store.save(drafts(["a"], in: store))
        store.close()
        // A clock is set back when the zone refuses its time.
        try scenario.sql("a", "UPDATE ab_state SET clock = clock - 1")
        let again = try scenario.open("a")
        _ = try again.save(drafts(["b"], in: again))
        #expect(
            try scenario.sql("a", "SELECT max(hlc) - min(hlc) FROM ab_stamp") == [[.integer(1)]])
        #expect(try again.check().isValid)
    }

    @Test func `fails as a whole`() throws {
        let store = try scenario.open("a")
        let person = try store.insertPerson("Anna")
        let stale = try #require(try store.row("Person", person))
        try store.set("age", .integer(2), of: person)
        var request = try drafts(["a"], in: store)
        request.updates = [
            .init(entity: stale.entity, slots: [0], rows: [(person, stale.version, stale.slots)])
        ]
        let error = storeError { _ = try store.save(request) }
        #expect(error?.code == .mergeConflict && error?.records == [person])
        #expect(try scenario.sql("a", "SELECT count(*) FROM Draft") == [[.integer(0)]])
        #expect(try store.read { try $0.unsyncedSaves(after: 0, limit: 9) }.isEmpty)
    }
}
