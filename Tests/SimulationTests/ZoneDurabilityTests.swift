import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import TestSupport
import Testing

struct ZoneDurabilityTests {
    private func open(_ disk: SimulatedDisk) throws -> ZoneService {
        var options = SQLiteZoneStorage.Options()
        options.vfs = disk.name
        options.fileIdentity = { try disk.identity(of: $0) }
        let storage = try SQLiteZoneStorage(path: "zone", creating: true, options: options) {
            EpochID(high: 1, low: 1)
        }
        return ZoneService(
            name: try ZoneName("zone"), storage: storage, wallMilliseconds: { 1_000 })
    }

    private func push(to zone: ZoneService) throws -> PushAnswer {
        let author = ReplicaID(high: 2, low: 2)
        let set = ChangeSet(
            saving: ChangePayload(blocks: []).encoded(author: author),
            dot: Dot(replica: author, sequence: 1),
            timestamp: HybridTimestamp(wallMilliseconds: 1_000, counter: 0),
            previousOrigin: .zero, context: CausalContext())
        return try zone.push(
            PushRequest(epoch: EpochID(high: 1, low: 1), changeSets: [set.encoded()]))
    }

    @Test func `a save that a zone has acknowledged survives a loss of power`() throws {
        var operations = 0
        while true {
            let disk = SimulatedDisk(seed: UInt64(operations))
            var zone = try open(disk)
            disk.process(of: "zone").dieAfter(operations)
            _ = try? push(to: zone)
            // The daemon dies, perhaps between the write of a commit and its flush. The next
            // process gets the request again, answers it, and loses power.
            let hasDied = disk.process(of: "zone").isDead
            disk.process(of: "zone").dieAfter(nil)
            zone.close()
            if hasDied { disk.restart("zone", afterLossOfPower: false) }
            zone = try open(disk)
            #expect(try push(to: zone).acknowledgements.map(\.position) == [1])
            disk.process(of: "zone").die()
            zone.close()
            disk.restart("zone", afterLossOfPower: true)

            zone = try open(disk)
            #expect(try zone.head().position == 1, "at \(operations)")
            zone.close()
            guard hasDied else { break }
            operations += 1
        }
        // The frames of the commit are one write, and then they are flushed.
        #expect(operations >= 2)
    }

    @Test func `a commit of a zone bypasses the drive's cache`() throws {
        let disk = SimulatedDisk(seed: 7)
        let zone = try open(disk)
        let before = disk.fullFlushCount
        _ = try push(to: zone)
        #expect(disk.fullFlushCount > before)
        zone.close()
    }
}
