import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of change sets in a bundle that the zone's log has in another form than the file.
@Suite struct `A set that two stores gave earlier times` {
    @Test func `keeps what later sets did, also where the zone has those already`() throws {
        let scenario = try StoreScenario()
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        let anna = try a.insertPerson("Anna")
        try b.insertPerson("Bob")
        try a.send(to: b, in: scenario)
        let there = try b.id(of: anna, on: a)
        try b.set("name", .string("Anne"), of: there)
        let limit = HybridTimestamp(wallMilliseconds: 1_000)
        for store in [a, b] { _ = try store.restamp(above: limit, clockOffsetMilliseconds: 0) }
        try scenario.zone.push(from: a)
        // Store b pushes too: the log has Anna in another form and accepts the other saves.
        let pending = try b.pending(byteLimit: .max)
        #expect(
            pending.map(\.changeSet.dot.replica) == [try b.replica, try a.replica, try b.replica])
        #expect(pending[1].changeSet.digest != scenario.zone.log[0].digest)
        for entry in [pending[0], pending[2]] { scenario.zone.append(entry.changeSet) }
        let acknowledged = [(pending[0], 2), (pending[2], 3)].map { entry, position in
            Acknowledged(entry, position: UInt64(position))
        }
        try b.acknowledge(acknowledged, epoch: scenario.zone.epoch)
        try scenario.zone.pull(into: b)
        #expect(try b.value("name", of: there) == .string("Anne"))
        try scenario.zone.repair(b)
        #expect(try b.value("name", of: there) == .string("Anne"))
        #expect(try b.canonicalHash() == scenario.zone.reference().canonicalHash)
    }
}
