import AnabranchReplication
import AnabranchStore
import Synchronization
import TestSupport
import Testing

@Suite struct `A store without randomness` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    enum Source: CaseIterable { case empty, short, zeros, failing }

    struct Failure: Error {}

    private static func bytes(_ source: Source, _ count: Int) throws -> [UInt8] {
        switch source {
        case .empty: []
        case .short: [UInt8](repeating: 7, count: count - 1)
        case .zeros: [UInt8](repeating: 0, count: count)
        case .failing: throw Failure()
        }
    }

    private func open(_ name: String, _ source: Source?) throws -> Store {
        var environment = StoreEnvironment.system
        if let source { environment.randomBytes = { try Self.bytes(source, $0) } }
        return try Store.open(
            at: scenario.path(name), model: scenario.model, environment: environment)
    }

    @Test(arguments: Source.allCases)
    func `is created only once there is randomness`(_ source: Source) throws {
        #expect(storeError { _ = try open("a", source) }?.code == .noRandomness)
        let store = try open("a", nil)
        #expect(try store.replica != ReplicaID(high: 0, low: 0))
        try store.insertPerson("Anna")
    }

    /// A copy continues under a replica ID of its own, or not at all.
    @Test(arguments: Source.allCases)
    func `a copy without randomness saves nothing under the original's replica ID`(_ source: Source)
        throws
    {
        let a = try open("a", nil)
        try a.insertPerson("Anna")
        a.close()
        try scenario.copy("a", to: "b")
        let b = try open("b", source)
        #expect(storeError { try b.insertPerson("Bob") }?.code == .noRandomness)
        #expect(try b.pendingSaves().count == 1)
        b.close()
        let again = try open("b", nil)
        try again.insertPerson("Bob")
        let first = try #require(try again.pending(byteLimit: .max).first)
        #expect(try again.replica != first.changeSet.dot.replica)
    }
}
