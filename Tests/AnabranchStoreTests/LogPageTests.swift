import AnabranchModel
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchStore

@Suite struct `Pages of a log` {
    private let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    /// Returns a store with three saves of 400,000 bytes each.
    private func store() throws -> Store {
        let store = try scenario.open("a.db")
        let person = scenario.person
        let name = try #require(person.slotIndex(named: "name"))
        for letter in ["a", "b", "c"] {
            let id = try store.reserveNumbers(1).lowerBound
            var slots = [PropertyValue](repeating: .null, count: person.slots.count)
            slots[name] = .string(String(repeating: letter, count: 400_000))
            var request = SaveRequest(author: "app")
            request.inserts = [.init(entity: person, rows: [(id, slots)])]
            _ = try store.save(request)
        }
        return store
    }

    @Test func `end where they have the bytes, and hold one entry at least`() throws {
        let store = try store()
        try store.read { reader in
            let log = ChangeLog(
                connection: reader.connection, replicas: try reader.replicas())
            func count(_ limit: Int, _ byteLimit: Int) throws -> Int {
                try log.entries(after: 0, limit: limit, byteLimit: byteLimit).count
            }
            #expect(try count(100, 1) == 1)
            #expect(try count(100, 500_000) == 2)
            #expect(try count(100, .max) == 3)
            #expect(try count(2, .max) == 2)
            var seen: [UInt64] = []
            try log.forEach(after: 0) { seen.append($0.changeSet.dot.sequence) }
            #expect(seen == [1, 2, 3])
            var unplaced: [UInt64] = []
            try log.forEach(log.unplacedPositions()) { unplaced.append($0.changeSet.dot.sequence) }
            #expect(unplaced == [1, 2, 3])
        }
    }
}
