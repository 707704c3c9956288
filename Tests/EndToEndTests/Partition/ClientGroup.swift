import AnabranchReplication
import Foundation
import Testing

/// The clients and daemons of one zone, and what must be true of them after all disturbances.
struct ClientGroup {
    let clients: [PartitionedClient]
    let daemons: [DaemonUnderTest]

    struct Counts: CustomStringConvertible {
        let told: Int
        let inZone: Int

        var description: String { "\(told) saves told, \(inZone) in the zone" }
    }

    /// Waits until all clients have the zone's whole log, and ends them.
    func expectCaughtUp(within seconds: Double) throws {
        let statuses = try waitUntilCaughtUp(within: seconds)
        for (client, status) in zip(clients, statuses) {
            #expect(status.isCaughtUp, "\(status.text)\n\(client.lastWords)")
        }
        #expect(Set(statuses.map(\.position)).count == 1, "\(statuses.map(\.position))")
        for client in clients {
            #expect(client.isRunning, "\(client.lastWords)")
            client.kill()
        }
    }

    /// Reads each client's file until all have the zone's whole log.
    private func waitUntilCaughtUp(within seconds: Double) throws -> [PartitionedClient.Status] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            let statuses = try clients.map { try $0.status() }
            let isDone =
                statuses.allSatisfy(\.isCaughtUp) && Set(statuses.map(\.position)).count == 1
            if isDone || Date() > deadline { return statuses }
            usleep(300_000)
        }
    }

    /// Checks that every save that a client was told of is in all stores, and that these and the
    /// zone are equal. Ends the daemons.
    func expectNothingLost() throws -> Counts {
        let states = try clients.map { try $0.client.state() }
        #expect(Set(states.map(\.hash)).count == 1)
        #expect(Set(states.map(\.vector)).count == 1)
        #expect(states.allSatisfy { $0.halfPairs == 0 })
        #expect(states.allSatisfy { !$0.hasDoubles })
        let saved = try clients.reduce(into: Set()) { $0.formUnion(try $1.savedOrigins()) }
        #expect(!saved.isEmpty)
        for (number, state) in states.enumerated() {
            let held = Set(state.origins.map(\.description))
            let missing = saved.subtracting(held)
            #expect(missing.isEmpty, "client \(number) lacks \(missing.count) saves")
        }
        for daemon in daemons { #expect(daemon.stop() == 0) }
        #expect(try daemons[0].hash().contains("\(states[0].hash)"))
        return Counts(told: saved.count, inZone: states[0].origins.count)
    }
}
