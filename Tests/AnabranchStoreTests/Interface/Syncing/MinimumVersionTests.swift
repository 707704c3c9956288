import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of the zone's minimum version in stores.
@Suite struct `A minimum version` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    @Test func `is a save of its own that other stores pull`() throws {
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        try a.insertPerson("Anna")
        #expect(try a.minimumVersion() == nil)
        #expect(try a.raiseMinimumVersion(to: 3, author: "Ada"))
        #expect(try a.minimumVersion() == 3 && a.syncState().minimumVersion == 3)
        #expect(try a.pendingSaves().count == 2)
        for store in [a, b] { try scenario.zone.sync(store) }
        #expect(try b.minimumVersion() == 3)
        #expect(try b.canonicalHash() == a.canonicalHash())
        #expect(try ShownState(b) == ShownState(a))
        #expect(try a.check().isValid && b.check().isValid)
    }

    @Test func `only rises`() throws {
        let store = try scenario.open("a")
        #expect(storeError { try store.raiseMinimumVersion(to: 0, author: "") }?.code == .cannotWin)
        try store.raiseMinimumVersion(to: 3, author: "")
        #expect(try !store.raiseMinimumVersion(to: 3, author: ""))
        let error = storeError { try store.raiseMinimumVersion(to: 2, author: "") }
        #expect(error?.code == .cannotWin && error?.message.contains("it is 3") == true)
        try store.raiseMinimumVersion(to: 4, author: "")
        #expect(try store.pendingSaves().count == 2 && store.minimumVersion() == 4)
    }

    @Test(arguments: [true, false])
    func `is the greatest of those that were set at the same time`(isFirstGreater: Bool) throws {
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        try a.raiseMinimumVersion(to: isFirstGreater ? 7 : 5, author: "")
        try b.raiseMinimumVersion(to: isFirstGreater ? 5 : 7, author: "")
        for store in [a, b, a] { try scenario.zone.sync(store) }
        for store in [a, b] { #expect(try store.minimumVersion() == 7) }
        try b.raiseMinimumVersion(to: 8, author: "")
        for store in [b, a] { try scenario.zone.sync(store) }
        #expect(try a.minimumVersion() == 8 && a.canonicalHash() == b.canonicalHash())
        // Two stores that met write to one record.
        #expect(
            try scenario.sql("a", "SELECT count(*) FROM ab_deferred_record") == [[.integer(2)]])
    }

    @Test func `stays through a migration, and is read without the model`() throws {
        let store = try scenario.open("a")
        try store.insertPerson("Anna")
        try store.raiseMinimumVersion(to: 3, author: "")
        let hash = try store.canonicalHash()
        store.close()
        let changed = try scenario.changedModel { declaration in
            declaration.entities[0].attributes.removeFirst()
        }
        let migrated = try scenario.open("a", model: changed)
        #expect(try migrated.minimumVersion() == 3 && migrated.canonicalHash() == hash)
    }

    @Test func `is in a bundle`() throws {
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        try a.raiseMinimumVersion(to: 3, author: "")
        let path = scenario.folder.file("minimum.bundle")
        _ = try a.exportBundle(to: path)
        _ = try b.importBundle(from: path) { _ in }
        #expect(try b.minimumVersion() == 3)
    }

    @Test func `is found by an index`() throws {
        let store = try scenario.open("a")
        try store.raiseMinimumVersion(to: 3, author: "")
        #expect(try store.minimumVersion() == 3)
        let plan = try scenario.sql(
            "a",
            "EXPLAIN QUERY PLAN SELECT record FROM ab_deferred_record WHERE entity = 'ab_zone'")
        #expect("\(plan)".contains("ab_deferred_zone"), "\(plan)")
    }

    @Test func `has an entity that no model can have`() throws {
        let error = #expect(throws: ModelError.self) {
            try ManagedObjectModel { EntityDeclaration("Zone", wireName: "ab_zone") }
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("reserved"))
    }
}
