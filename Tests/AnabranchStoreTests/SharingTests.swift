import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct `Two openings of one file` {
    let scenario: StoreScenario
    let first: Store
    let second: Store

    init() throws {
        scenario = try StoreScenario()
        first = try scenario.open("a")
        second = try scenario.open("a")
    }

    @Test func `are one replica that gives no number and no sequence number twice`() throws {
        #expect(try first.replica == second.replica)
        let stores = [first, second]
        let found = Mutex<(ids: [LocalID], failures: [String])>(([], []))
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            for turn in 0..<25 {
                do {
                    let store = stores[(worker + turn) % 2]
                    let id = try store.insertPerson("P\(worker).\(turn)")
                    found.withLock { $0.ids.append(id) }
                } catch {
                    found.withLock { $0.failures.append("\(error)") }
                }
            }
        }
        let (ids, failures) = found.withLock { $0 }
        #expect(failures == [])
        #expect(Set(ids).count == 100)
        let entries = try first.read { try $0.changeSets(after: 0, limit: 200) }
        #expect(entries.map(\.changeSet.dot.sequence) == Array(1...100))
        #expect(
            zip(entries, entries.dropFirst()).allSatisfy { earlier, later in
                earlier.changeSet.timestamp < later.changeSet.timestamp
                    && later.changeSet.previousOrigin == earlier.changeSet.origin
            })
    }

    @Test func `see each other's saves and the replicas that the other has met`() throws {
        let other = try scenario.open("b")
        let anna = try other.insertPerson("Anna")
        try scenario.zone.sync(other)
        try scenario.zone.pull(into: first)
        let record = try #require(try other.recordID(of: anna))
        let id = try #require(try second.localID(of: record))
        #expect(try second.value("name", of: id) == .string("Anna"))
        #expect(try second.recordID(of: id) == record)
        try second.set("age", .integer(9), of: id)
        #expect(try first.value("age", of: id) == .integer(9))
    }

    @Test func `conflict by version when both change one row`() throws {
        let anna = try first.insertPerson("Anna")
        let row = try #require(try second.row("Person", anna))
        try first.set("age", .integer(1), of: anna)
        let error = storeError {
            _ = try second.update("Person", anna, ["age": .integer(2)], version: row.version)
        }
        #expect(error?.code == .mergeConflict)
        #expect(error?.records == [anna])
    }

    @Test func `notice that the other has been upgraded, and write nothing`() throws {
        try first.insertPerson("Anna")
        try scenario.sql("a", "UPDATE ab_state SET format = 2")
        #expect(storeError { try second.insertPerson("Bob") }?.code == .storeChanged)
        try scenario.sql("a", "UPDATE ab_state SET format = 1, model = x'00'")
        #expect(storeError { try second.insertPerson("Bob") }?.code == .storeChanged)
        #expect(try scenario.sql("a", "SELECT count(*) FROM Person") == [[.integer(1)]])
        try scenario.sql("a", "UPDATE ab_state SET format = 2")
        try scenario.sql("a", "ALTER TABLE ab_state RENAME COLUMN clock TO clocks")
        #expect(storeError { try second.insertPerson("Bob") }?.code == .storeChanged)
    }

    @Test func `take a new identity once when the file is a copy`() throws {
        let old = try first.replica
        try first.insertPerson("Anna")
        first.close()
        second.close()
        try scenario.copy("a", to: "b")
        let one = try scenario.open("b")
        let two = try scenario.open("b")
        _ = try one.insertPerson("Bob")
        _ = try two.insertPerson("Cyd")
        #expect(try one.replica == two.replica)
        #expect(try one.replica != old)
        #expect(try one.syncState().last?.sequence == 2)
    }

    /// Another process saves while this one does; it ends by itself.
    @Test func `two openings in two processes are one replica too`() async throws {
        let saving = Task.detached { [first] in
            for turn in 0..<40 { try first.insertPerson("here \(turn)") }
        }
        // The path does not come by the environment: changing that while other tests start
        // processes is a race.
        await #expect(processExitsWith: .success) { [path = scenario.path("a") as String] in
            let store = try Store.open(at: path, model: nil)
            for turn in 0..<40 { try store.insertPerson("there \(turn)") }
            store.close()
        }
        try await saving.value
        let entries = try first.read { try $0.changeSets(after: 0, limit: 200) }
        #expect(entries.map(\.changeSet.dot.sequence) == Array(1...80))
        #expect(Set(entries.map(\.changeSet.dot.replica)).count == 1)
        #expect(
            try scenario.sql("a", "SELECT count(*), count(DISTINCT name) FROM Person")
                == [[.integer(80), .integer(80)]])
    }
}

@Suite struct `A file that leaves its path while it is open` {
    let scenario: StoreScenario
    let store: Store

    init() throws {
        scenario = try StoreScenario()
        store = try scenario.open("a")
        _ = try store.insertPerson("Anna")
    }

    private func saveCount(_ store: Store) throws -> Int {
        try store.read { try $0.changeSets(after: 0, limit: 9).count }
    }

    private func expectRefusal(sourceLocation: SourceLocation = #_sourceLocation) {
        let error = storeError { _ = try store.insertPerson("Bert") }
        #expect(error?.code == .storeChanged, sourceLocation: sourceLocation)
        #expect(
            error?.message.contains("was moved, deleted or replaced") == true,
            sourceLocation: sourceLocation)
    }

    @Test func `takes no save until it is back`() throws {
        let path = scenario.path("a")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        expectRefusal()
        try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
        _ = try store.insertPerson("Carl")
        #expect(try saveCount(store) == 2)
        #expect(try store.check().isValid)
    }

    @Test func `takes no save when it is deleted or replaced`() throws {
        let other = try scenario.open("b")
        _ = try other.insertPerson("Dora")
        other.close()
        let path = scenario.path("a")
        try FileManager.default.removeItem(atPath: path)
        expectRefusal()
        try FileManager.default.copyItem(atPath: scenario.path("b"), toPath: path)
        expectRefusal()
        #expect(storeError { _ = try saveCount(store) }?.code == .storeChanged)
        store.close()
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        let reopened = try scenario.open("a")
        #expect(try saveCount(reopened) == 1)
    }
}
