import AnabranchReplication
import Foundation
import TestSupport

/// A client with a zone of its own, which is killed during a fault and never returns.
///
/// No other client has its saves. What the zone lacks at the end was therefore acknowledged and
/// lost by the database.
final class Witness {
    private let client: ClientUnderTest
    private let guarded: GuardedFolder
    private let place: ClientUnderTest.ZonePlace
    let name: String
    private let store: String

    init(
        _ number: Int, at server: URL, store: String, in guarded: GuardedFolder, seed: UInt64
    ) throws {
        name = "witness-\(number)"
        self.guarded = guarded
        self.store = store
        place = ClientUnderTest.ZonePlace(
            server: server, zone: name,
            token: try DaemonUnderTest.makeToken(for: name, in: store))
        client = ClientUnderTest(unborn: name, of: place, in: guarded.folder)
        try client.start(
            seed: seed, [guarded.folder.file("\(name)-ledger"), guarded.folder.file("stop")])
        try guarded.note(client.identifier, as: name)
    }

    func kill() { client.kill() }

    struct Result {
        let acknowledged: Int
        let lost: Int

        var description: String { "\(lost) of \(acknowledged) acknowledged saves are lost" }
    }

    /// Compares what the zone acknowledged with what a new client gets from it.
    func result() async throws -> Result {
        let acknowledged = try client.acknowledgedOrigins()
        // With asynchronous standbys a failover can lose the witness's token too.
        let readerPlace = ClientUnderTest.ZonePlace(
            server: place.server, zone: place.zone,
            token: try DaemonUnderTest.makeToken(for: name, in: store))
        let reader = ClientUnderTest(unborn: "\(name)-reader", of: readerPlace, in: guarded.folder)
        _ = try await reader.synchronize()
        let held = try reader.acknowledgedOrigins()
        return Result(
            acknowledged: acknowledged.count, lost: acknowledged.subtracting(held).count)
    }
}
