import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of zone tables with partitions on other servers.
@Suite(.needsPostgreSQL) struct PartitionedServersTests {
    private static let zones = (1...12).map { "zone-\($0)-end" }

    @Test func `each zone's statements reach one server only`() throws {
        let servers = try (0..<3).map { _ in try PostgreSQLCluster(["log_statement=all"]) }
        let coordinator = try PostgreSQLCluster()
        let url = try coordinator.makeDatabase()
        try PartitionedDatabase.partition(url, over: servers)
        let server = try TestServer(at: try StoreLocation(url))
        for name in Self.zones {
            let zone = try ZoneName(name)
            _ = try server.store.createToken(zone: zone, role: .write)
            try server.store.withZone(zone) { try $0.useEverything() }
        }
        server.stop()
        coordinator.stop()
        for each in servers { each.stop() }
        let logs = try servers.map { try $0.logLines() }
        var used: Set<Int> = []
        for zone in Self.zones {
            let counts = logs.map { lines in lines.count { $0.contains("'\(zone)'") } }
            let places = counts.indices.filter { counts[$0] > 0 }
            #expect(places.count == 1, "\(zone): \(counts)")
            // Many statements name the zone, also on the server that has it.
            #expect(counts.reduce(0, +) > 20, "\(zone): \(counts)")
            used.formUnion(places)
        }
        #expect(used.count == 3)
    }
}
