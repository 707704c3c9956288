import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

struct SyncEngineTests {
    @Test func `three stores that edit offline converge, whatever the order of their syncs`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        let stores = try ["a", "b", "c"].map { try scenario.open("\($0).db") }
        let engines = try stores.map { try scenario.engine($0) }
        try stores[0].insert("Ada", age: 36, names)
        for engine in engines { try await engine.synchronize() }
        try stores[0].setAge(37, of: "Ada", names)
        try stores[1].insert("Bob", names)
        try stores[2].setAge(38, of: "Ada", names)
        for index in [2, 0, 1, 2, 0] {
            #expect(try await engines[index].synchronize().isCaughtUp)
        }
        try scenario.expectConverged(stores)
        #expect(try stores[0].people(names).count == 2)
        #expect(engines[0].status.isCaughtUp)
        #expect(engines[0].status.position == 4)
    }

    @Test func `a pull with nothing new is one request and one response of 64 bytes at most`()
        async throws
    {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try store.insert("Ada", scenario.names)
        let transport = scenario.transport()
        let engine = try scenario.engine(store, transport)
        try await engine.synchronize()
        let before = transport.requests.count
        #expect(try await engine.synchronize().isCaughtUp)
        #expect(transport.requests.count == before + 1)
        let request = try #require(transport.requests.last)
        #expect(request.endpoint == .pull && request.body.count <= 64)
        #expect(try #require(transport.responses.last).count <= 64)
    }

    @Test(arguments: [false, true])
    func `an exchange that is cut at any request continues where it was`(
        _ isServed: Bool
    ) async throws {
        for number in 1... {
            let scenario = try EngineScenario()
            let names = scenario.names
            let (one, other) = (try scenario.open("a.db"), try scenario.open("b.db"))
            for person in 0..<6 { try one.insert("a\(person)", names) }
            let filler = try scenario.engine(one) { $0.batchBytes = 1 }
            try await filler.synchronize()
            for person in 0..<4 { try other.insert("b\(person)", names) }
            let transport = scenario.transport()
            transport.cut(atRequest: number, served: isServed)
            let engine = try scenario.engine(other, transport) {
                $0.batchBytes = 1
                $0.retry.attempts = 1
            }
            let first = try? await engine.synchronize()
            transport.cut(atRequest: nil)
            if first == nil { #expect(engine.status.lastError?.code == .unreachable) }
            #expect(try await engine.synchronize().isCaughtUp)
            try await filler.synchronize()
            try scenario.expectConverged([one, other])
            #expect(try one.people(names).count == 10)
            #expect(try scenario.zone.head().position == 10)
            if first != nil { break }
        }
    }

    @Test(arguments: TestLength.seeds(48))
    func `a bad network only takes longer`(_ seed: UInt64) async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let stores = try ["a", "b"].map { try scenario.open("\($0).db") }
        let transport = scenario.transport(seed: seed, faults: .all(oneIn: 6))
        let engines = try stores.map { try scenario.engine($0, transport) { $0.batchBytes = 1 } }
        for round in 0..<5 {
            for (index, store) in stores.enumerated() {
                try store.insert("\(index)-\(round)", names)
                _ = try? await engines[index].synchronize()
            }
        }
        transport.setFaults(.none)
        for engine in engines + engines { try await engine.synchronize() }
        try scenario.expectConverged(stores)
        #expect(try stores[0].people(names).count == 10)
    }

    @Test func `two engines on one file exchange everything once`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let other = try scenario.open("b.db")
        for person in 0..<20 { try other.insert("b\(person)", names) }
        try await scenario.engine(other).synchronize()
        let openings = [try scenario.open("a.db"), try scenario.open("a.db")]
        for person in 0..<20 { try openings[person % 2].insert("a\(person)", names) }
        let engines = try openings.map { try scenario.engine($0) { $0.batchBytes = 1 } }
        try await withThrowingTaskGroup { group in
            for engine in engines { group.addTask { _ = try await engine.synchronize() } }
            try await group.waitForAll()
        }
        try await scenario.engine(other).synchronize()
        try scenario.expectConverged(openings + [other])
        #expect(try scenario.zone.head().position == 40)
        #expect(try openings[0].pendingSaves().count == 0)
    }

    @Test func `calls that wait share one exchange, and each has what was saved before it`()
        async throws
    {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        let transport = scenario.transport()
        let engine = try scenario.engine(store, transport)
        try store.insert("Ada", scenario.names)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await engine.synchronize() } }
            for try await outcome in group { #expect(outcome.pendingCount == 0) }
        }
        // The requests are hello, pull, push, and at most one pull for each further exchange.
        #expect(transport.requests.count < 3 + 20)
        #expect(try scenario.zone.head().position == 1)
    }

    @Test func `a cancelled call ends, and the next one works`() async throws {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try store.insert("Ada", scenario.names)
        let engine = try scenario.engine(store)
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await engine.synchronize()
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try await engine.synchronize().isCaughtUp)
    }

    @Test func `the live loop delivers saves to another store without a request`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let stores = try ["a", "b"].map { try scenario.open("\($0).db") }
        let engines = try stores.map { try scenario.engine($0) }
        for engine in engines { engine.start() }
        try stores[0].insert("Ada", names)
        try await Self.wait { try stores[1].people(names).count == 1 }
        try stores[1].insert("Bob", names)
        try await Self.wait { try stores[0].people(names).count == 2 }
        #expect(engines[0].status.isLive)
        for engine in engines { await engine.stop() }
        #expect(!engines[0].status.isLive)
        try scenario.expectConverged(stores)
    }

    #if os(Linux)
        @Test func `the live loop does nothing while nothing is written`() async throws {
            let scenario = try EngineScenario()
            let (store, other) = (try scenario.open("a.db"), try scenario.open("a.db"))
            let engine = try scenario.engine(store)
            engine.start()
            try await Self.wait { engine.status.lastExchange != nil }
            // The exchange itself writes, so the loop looks once more after it. On a busy machine
            // its tasks begin late.
            var counts = [-1, 0]
            while counts.count < 20, counts.last != counts.dropLast().last {
                try await Task.sleep(for: .milliseconds(300))
                counts.append(scenario.sleeps.withLock { $0.count })
            }
            #expect(counts.last == counts.dropLast().last, "\(counts)")
            for number in 1...3 {
                try other.insert("\(number)", scenario.names)
                try await Self.wait { try scenario.zone.head().position == UInt64(number) }
            }
            await engine.stop()
        }
    #endif

    @Test func `the status reports each step to its observers`() async throws {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try store.insert("Ada", scenario.names)
        let engine = try scenario.engine(store)
        var updates = engine.statusUpdates.makeAsyncIterator()
        let first = try #require(await updates.next())
        #expect(first.pendingCount == 1 && !first.isCaughtUp && first.lastExchange == nil)
        try await engine.synchronize()
        let last = try #require(await updates.next())
        #expect(last.pendingCount == 0 && last.isCaughtUp && last.zone == "family")
        let kept = try SyncStatus(of: store)
        #expect(kept.server == "https://sync.example" && kept.lastExchange != nil)
    }

    /// Waits until a condition holds, for two minutes at most.
    static func wait(
        isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
    ) async throws {
        for _ in 0..<24_000 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("it did not come")
    }
}
