import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of a zone on a full disk.
@Suite struct FullZoneTests {
    private let disk = SimulatedDisk(seed: 0xF0)

    private func open() throws -> ZoneService {
        var options = SQLiteZoneStorage.Options()
        options.vfs = disk.name
        options.fileIdentity = { [disk] in try disk.identity(of: $0) }
        let storage = try SQLiteZoneStorage(path: "zone", creating: true, options: options) {
            EpochID(high: 0xE, low: 0xE)
        }
        return ZoneService(
            name: try ZoneName("test"), storage: storage,
            wallMilliseconds: { 1_700_000_000_000 })
    }

    private func push(_ set: ChangeSet, to zone: ZoneService) throws -> PushAnswer {
        try zone.push(
            PushRequest(epoch: try zone.head().epoch, changeSets: [set.encoded()]))
    }

    private func expectFull(_ body: () throws -> Void) {
        let error = #expect(throws: ProtocolError.self) { try body() }
        #expect(error?.code == .storageFull && error?.code.httpStatus == 507)
        #expect(error?.message == "Can't serve zone test because its disk is full.")
        #expect(error?.operatorMessage.contains("its disk is full: make room") == true)
    }

    @Test func `what writes is refused until there is room, and what reads goes on`() throws {
        let zone = try open()
        defer { zone.close() }
        var author = TestAuthor(1)
        let (first, second) = (author.insertPerson().0, author.insertPerson().0)
        _ = try push(first, to: zone)
        let hash = try zone.canonicalHash()
        let part = [UInt8](repeating: 7, count: 10_000)
        let stage = StageRequest(part: SavePart(of: part), start: 0, bytes: part)
        disk.isFull = true
        expectFull { _ = try push(second, to: zone) }
        expectFull { _ = try zone.stage(stage) }
        expectFull { _ = try zone.compact(keeping: 0) }
        let page = try zone.pull(PullRequest(cursor: nil, byteLimit: 1000))
        #expect(page.changeSets == [first.encoded()] && page.headPosition == 1)
        #expect(try zone.information().position == 1)
        #expect(try zone.canonicalHash() == hash)
        disk.isFull = false
        #expect(try push(second, to: zone).acknowledgements.map(\.position) == [2])
        #expect(try zone.stage(stage).heldBytes == 10_000)
        #expect(try zone.verify().isValid)
        #expect(try zone.compact(keeping: 0).startPosition == 2)
    }
}
