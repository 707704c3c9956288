import AnabranchProtocol
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of what a daemon says of zones that its storage can't serve.
@Suite struct ZoneHealthTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("health") }

    private func make(_ names: [String], _ clock: SettableClock) throws -> OpenZones {
        let backEnd = try SQLiteBackEnd(directory: directory.path, environment: .system)
        for name in names { try backEnd.makeZone(try ZoneName(name)) }
        return OpenZones(
            backEnd, limits: ZoneLimits(), wallMilliseconds: { clock.milliseconds })
    }

    private func path(of zone: String) -> URL {
        URL(filePath: directory.file("zones/\(zone).sqlite"))
    }

    private func look(at zone: String, _ zones: OpenZones) throws {
        try zones.withZone(try ZoneName(zone)) { zone throws(ProtocolError) in
            _ = try zone.head()
        }
    }

    @Test func `a damaged zone that is opened first keeps no others from being served`() throws {
        let zones = try make(["a", "b"], SettableClock())
        defer { zones.close() }
        try Data("This is no database.".utf8).write(to: path(of: "a"))
        #expect(throws: ProtocolError.self) { try look(at: "a", zones) }
        #expect(try zones.checkHealth() == 1)
    }

    @Test func `zones that fail are counted, and all of them mean that nothing is served`()
        throws
    {
        let clock = SettableClock()
        let zones = try make(["a", "b"], clock)
        defer { zones.close() }
        #expect(try zones.checkHealth() == 0)
        let whole = try Data(contentsOf: path(of: "a"))
        try Data("This is no database.".utf8).write(to: path(of: "a"))
        let error = #expect(throws: ProtocolError.self) { try look(at: "a", zones) }
        #expect(error?.code == .internalError)
        #expect(error?.operatorMessage.contains("not a SQLite database") == true)
        #expect(error?.message.contains("SQLite") == false)
        let other = try Data(contentsOf: path(of: "b"))
        try Data().write(to: path(of: "b"))
        let failure = #expect(throws: StorageError.self) { try zones.checkHealth() }
        #expect(failure?.message.contains("a.sqlite") == true)
        #expect(zones.health.count == 2)
        try other.write(to: path(of: "b"))
        clock.milliseconds += ZoneHealth.patience
        #expect(try zones.checkHealth() == 1)
        // It is looked at again, and stays as long as it fails.
        clock.milliseconds += ZoneHealth.patience
        #expect(try zones.checkHealth() == 1)
        try whole.write(to: path(of: "a"))
        #expect(try zones.checkHealth() == 1)
        clock.milliseconds += ZoneHealth.patience
        #expect(try zones.checkHealth() == 0)
    }

    @Test func `refusals that are no failure of the storage do not count`() throws {
        let zones = try make(["a"], SettableClock())
        defer { zones.close() }
        #expect(throws: ProtocolError.self) { try look(at: "nowhere", zones) }
        for code in [ProtocolError.Code.overloaded, .forked, .quotaExceeded, .storageFull] {
            #expect(throws: ProtocolError.self) {
                try zones.withZone(try ZoneName("a")) { _ throws(ProtocolError) in
                    throw ProtocolError(code, "No.")
                }
            }
        }
        #expect(try zones.checkHealth() == 0)
    }

    @Test func `a server with a damaged zone is not ready`() throws {
        // The zones of this test are files, whatever store the suite runs with.
        let location = try StoreLocation("sqlite:\(directory.path)")
        let server = try TestServer(at: location)
        #expect(try server.get("/v1/ready", role: nil).text.contains(#""ready""#))
        for zone in ["test", "other"] {
            try Data("This is no database.".utf8).write(to: path(of: zone))
        }
        let refused = try server.get("/v1/zones/test/hash")
        #expect(refused.status == 500)
        #expect(!refused.text.contains("SQLite"))
        #expect(try server.get("/v1/ready", role: nil).status == 503)
        #expect(server.log.waitFor("not a SQLite database") != nil)
    }
}
