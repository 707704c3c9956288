import AnabranchProtocol
import AnabranchReplication
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct OpenZonesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("zones") }

    private func make(
        _ names: [String], limit: Int
    ) throws -> (zones: OpenZones, names: [ZoneName]) {
        let backEnd = try SQLiteBackEnd(directory: directory.path, environment: .system)
        let names = try names.map { try ZoneName($0) }
        for name in names { try backEnd.makeZone(name) }
        return (
            OpenZones(
                backEnd, limits: ZoneLimits(), limit: limit,
                wallMilliseconds: ServerEnvironment.system.wallMilliseconds), names
        )
    }

    @Test func `a zone is opened once and stays open`() throws {
        let (zones, names) = try make(["a"], limit: 4)
        let first = try zones.withZone(names[0]) { ObjectIdentifier($0) }
        let second = try zones.withZone(names[0]) { ObjectIdentifier($0) }
        #expect(first == second)
        #expect(zones.count == 1)
    }

    @Test func `threads that ask at the same time get the same zone`() throws {
        let (zones, names) = try make(["a"], limit: 4)
        let seen = Mutex<Set<ObjectIdentifier>>([])
        let name = names[0]
        startThreads(8) { _ in
            guard let zone = try? zones.retain(name) else { return }
            seen.withLock { _ = $0.insert(ObjectIdentifier(zone)) }
        }.wait()
        #expect(seen.withLock { $0.count } == 1)
    }

    @Test func `beyond the limit the zone that was used longest ago is closed, none in use`() throws
    {
        let (zones, names) = try make(["a", "b", "c"], limit: 2)
        let used = try zones.retain(names[0])
        for name in names.dropFirst() { try zones.withZone(name) { _ in } }
        #expect(zones.count == 2)
        #expect(try used.head().position == 0)
        #expect(try zones.withZone(names[1]) { $0.name } == names[1])
        zones.release(names[0])
    }

    @Test func `a zone that is not there is not made`() throws {
        let (zones, _) = try make([], limit: 2)
        let name = try ZoneName("nowhere")
        #expect {
            try zones.withZone(name) { _ in }
        } throws: {
            ($0 as? ProtocolError)?.code == .notFound
        }
        #expect(zones.count == 0)
        let backEnd = try SQLiteBackEnd(directory: directory.path, environment: .system)
        #expect(try backEnd.zones().isEmpty)
    }

    @Test func `no zone is opened after the close`() throws {
        let (zones, names) = try make(["a"], limit: 2)
        zones.close()
        #expect {
            try zones.withZone(names[0]) { _ in }
        } throws: {
            ($0 as? ProtocolError)?.code == .shuttingDown
        }
    }
}
