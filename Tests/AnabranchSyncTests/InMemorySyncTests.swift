import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

@Suite struct `Stores in memory with a zone` {
    @Test func `they sync with each other and with a file`() async throws {
        let scenario = try EngineScenario()
        let memory = try (0..<2).map { _ in
            try Store.open(
                at: "memory:\(UUID().uuidString)", model: scenario.names.model,
                environment: .system.inMemory)
        }
        let stores = memory + [try scenario.open("file")]
        for (index, store) in stores.enumerated() { try store.insert("\(index)", scenario.names) }
        let engines = try stores.map { try scenario.engine($0) }
        for _ in 0..<2 {
            for engine in engines { #expect(try await engine.synchronize().isCaughtUp) }
        }
        try scenario.expectConverged(stores)
        #expect(try stores[0].names(scenario.names).count == 3)
    }
}
