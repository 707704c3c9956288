import Anabranch
import TestSupport
import Testing

@Suite struct `History positions` {
    private func save(_ name: String, in coordinator: PersistentStoreCoordinator) throws {
        let context = BackgroundContext(coordinator: coordinator)
        try context.performAndWait { context throws in
            try context.person(name)
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `begin with the present one and follow saves of every coordinator of a store`(
        kind: StoreKind
    ) async throws {
        let graph = try Graph(kind)
        let other = try Graph.open(graph.directory, kind).coordinator
        try save("before", in: graph.coordinator)
        var positions = graph.coordinator.historyPositions().makeAsyncIterator()
        #expect(try await positions.next() == graph.coordinator.currentHistoryPosition())
        for (number, coordinator) in [other, graph.coordinator, other, other].enumerated() {
            try save("p\(number)", in: coordinator)
            let position = try #require(try await positions.next())
            #expect(try position == coordinator.currentHistoryPosition())
            #expect(try graph.coordinator.history().last?.position == position)
        }
    }

    @Test func `follow changes of a sync`() async throws {
        let (here, there, zone) = (try Graph(), try Graph(), Zone())
        var positions = here.coordinator.historyPositions().makeAsyncIterator()
        let first = try #require(try await positions.next())
        try save("Anna", in: there.coordinator)
        try zone.exchange(there)
        try zone.exchange(here)
        #expect(try #require(try await positions.next()) > first)
    }

    @Test func `miss intermediate ones for a slow reader, never the last one`() async throws {
        let graph = try Graph()
        var positions = graph.coordinator.historyPositions().makeAsyncIterator()
        #expect(try await positions.next() == .start)
        for number in 0..<20 { try save("p\(number)", in: graph.coordinator) }
        #expect(try await positions.next() == graph.coordinator.currentHistoryPosition())
    }

    @Test func `end when the store is closed`() async throws {
        let graph = try Graph()
        let positions = graph.coordinator.historyPositions()
        let reader = Task { try await positions.reduce(0) { count, _ in count + 1 } }
        graph.coordinator.close()
        #expect(try await reader.value <= 1)
        for try await _ in graph.coordinator.historyPositions() {
            Issue.record("a closed store has no position")
        }
    }

    @Test func `end when the task is cancelled`() async throws {
        let graph = try Graph()
        let positions = graph.coordinator.historyPositions()
        let reader = Task { try await positions.reduce(0) { count, _ in count + 1 } }
        reader.cancel()
        #expect(try await reader.value <= 1)
        try save("Anna", in: graph.coordinator)
    }
}
