import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of two files that were one, the classic way to lose data silently.
struct CopiedStoreTests {
    @Test func `a copied store and its original both continue, and nothing is lost or doubled`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        let store = try scenario.open("a.db")
        try store.insert("synced", names)
        try await scenario.engine(store).synchronize()
        try store.insert("inherited", names)
        store.close()
        try scenario.copy("a.db", to: "b.db")
        let stores = try ["a.db", "b.db"].map { try scenario.open($0) }
        try stores[0].insert("original's", names)
        try stores[1].insert("copy's", names)
        try stores[1].setAge(7, of: "inherited", names)
        #expect(try stores[0].replica != stores[1].replica)
        for index in [1, 0, 1] {
            #expect(try await scenario.engine(stores[index]).synchronize().isCaughtUp)
        }
        try scenario.expectConverged(stores)
        for store in stores {
            #expect(try store.people(names).count == 4)
            #expect(try store.row("inherited", names)?.slots[names.age] == .integer(7))
        }
        #expect(try scenario.zone.head().position == 5)
    }

    /// A file that is written back in place keeps its inode: only the zone can detect that.
    @Test func `a restored backup recovers its own saves and gets a new identity`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        var store = try scenario.open("a.db")
        try store.insert("old", names)
        try await scenario.engine(store).synchronize()
        store.close()
        let backup = try Data(contentsOf: URL(filePath: scenario.folder.file("a.db")))
        store = try scenario.open("a.db")
        try store.insert("new", names)
        try await scenario.engine(store).synchronize()
        let replica = try store.replica
        store.close()
        try scenario.overwrite("a.db", with: backup)
        store = try scenario.open("a.db")
        #expect(try store.people(names).count == 1)
        #expect(try store.replica == replica)
        let engine = try scenario.engine(store)
        try await engine.synchronize()
        #expect(try store.people(names).count == 2)
        try store.insert("after", names)
        #expect(try store.replica != replica)
        #expect(try await engine.synchronize().isCaughtUp)
        try scenario.expectConverged([store])
        #expect(try store.people(names).count == 3)
    }

    @Test func `two histories under one identity become two, and lose nothing`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        var store = try scenario.open("a.db")
        try store.insert("old", names)
        try await scenario.engine(store).synchronize()
        store.close()
        let backup = try Data(contentsOf: URL(filePath: scenario.folder.file("a.db")))
        store = try scenario.open("a.db")
        try store.insert("one branch", names)
        try await scenario.engine(store).synchronize()
        store.close()
        try scenario.overwrite("a.db", with: backup)
        store = try scenario.open("a.db")
        try store.insert("other branch", names)
        let engine = try scenario.engine(store)
        #expect(try await engine.synchronize().isCaughtUp)
        #expect(engine.status.lastError == nil)
        for name in ["old", "one branch", "other branch"] {
            #expect(try store.row(name, names) != nil)
        }
        try scenario.expectConverged([store])
    }
}
