import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of a large page of changes in a store without records. The indexes are created after the
/// records.
@Suite struct `A large page for an empty store` {
    let scenario: StoreScenario
    let a: Store
    let b: Store
    let ids: [LocalID]

    init() throws {
        scenario = try StoreScenario()
        a = try scenario.open("a")
        b = try scenario.open("b", loadBytes: 5000)
        ids = try a.insertPeople(1000)
        try scenario.zone.push(from: a)
    }

    /// The indexes of a store's file, and the number that SQLite counts up with each change of the
    /// tables and indexes.
    private func indexes(of name: String) throws -> (sql: [[SQLiteValue]], version: [SQLiteValue]) {
        (
            try scenario.sql(
                name, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"),
            try scenario.sql(name, "PRAGMA schema_version")[0]
        )
    }

    private func expectEqual() throws {
        #expect(try b.canonicalHash() == scenario.zone.reference().canonicalHash)
        #expect(try b.canonicalHash() == a.canonicalHash())
        #expect(try scenario.isIntact("b"))
    }

    @Test func `leaves the indexes that the store had`() throws {
        let before = try indexes(of: "b")
        try scenario.zone.pull(into: b)
        let after = try indexes(of: "b")
        #expect(after.sql == before.sql)
        // They were dropped and created again.
        #expect(after.version != before.version)
        try expectEqual()
    }

    @Test func `may change and delete the records that it brings`() throws {
        for number in 0..<50 {
            try a.set("boss", .integer(ids[number + 50]), of: ids[number])
            try a.delete(ids[number + 100])
        }
        try a.delete(ids[60])
        try scenario.zone.push(from: a)
        let before = try indexes(of: "b")
        try scenario.zone.pull(into: b)
        #expect(try indexes(of: "b").sql == before.sql)
        try expectEqual()
    }

    @Test func `leaves everything as it was if it is refused`() throws {
        try a.insertPerson("Anna")
        try a.insertPerson("Bob")
        try scenario.zone.push(from: a)
        let before = try indexes(of: "b")
        let page = try scenario.zone.page(for: b) { $0.remove(at: 1) }
        #expect(storeError { _ = try b.apply(page) }?.code == .sequenceGap)
        let after = try indexes(of: "b")
        #expect(after.sql == before.sql)
        #expect(after.version == before.version)
        try scenario.zone.pull(into: b)
        try expectEqual()
    }

    @Test func `leaves the indexes alone if the store has records of its own`() throws {
        try b.insertPerson("Cyd")
        let before = try indexes(of: "b")
        try scenario.zone.pull(into: b)
        #expect(try indexes(of: "b").version == before.version)
        try scenario.zone.push(from: b)
        try scenario.zone.pull(into: a)
        try expectEqual()
    }

    @Test func `leaves the indexes alone if it is not the first page`() throws {
        try scenario.zone.pull(into: b)
        let before = try indexes(of: "b")
        try a.insertPeople(1000)
        try scenario.zone.push(from: a)
        try scenario.zone.pull(into: b)
        #expect(try indexes(of: "b").version == before.version)
        try expectEqual()
    }

    @Test func `has a save in parts`() throws {
        let zone = MemoryZone()
        let d = try scenario.open("d", partBytes: 2000)
        try d.insertPeople(1000)
        try zone.push(from: d)
        #expect(zone.log.map(\.kind) == [.saveInParts])
        let before = try indexes(of: "b")
        try zone.pull(into: b)
        let after = try indexes(of: "b")
        #expect(after.sql == before.sql)
        #expect(after.version != before.version)
        #expect(try b.canonicalHash() == d.canonicalHash())
    }
}
