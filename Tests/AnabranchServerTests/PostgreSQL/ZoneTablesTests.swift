import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests that the tables can be partitioned by the zone.
@Suite(.needsPostgreSQL) struct ZoneTablesTests {
    private func rows(_ sql: String) throws -> [String] {
        let url = try PostgreSQLCluster.shared.get().makeDatabase()
        let pool = PostgreSQLPool(try PostgreSQLLocation(url))
        defer { pool.close() }
        try pool.withSession { try ZoneTables.update($0) }
        return try pool.withSession { session in
            try session.run(PostgreSQLStatement(sql)).map { $0.string(at: 0) }
        }
    }

    private static let sharedTables = "('token', 'migration', 'moved')"

    @Test func `every key and index of a zone's tables begins with the zone`() throws {
        let firstColumns = try rows(
            """
            SELECT c.relname || ' ' || a.attname FROM pg_index i
            JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
            JOIN pg_namespace n ON n.oid = t.relnamespace
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
            WHERE n.nspname = 'anabranch' AND t.relname NOT IN \(Self.sharedTables)
            """)
        #expect(firstColumns.count > 15)
        #expect(firstColumns.filter { !$0.hasSuffix(" zone") } == [])
        let tables = try rows(
            """
            SELECT relname::text FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
            WHERE n.nspname = 'anabranch' AND relkind = 'r'
            AND relname NOT IN \(Self.sharedTables)
            """)
        let keyed = try rows(
            """
            SELECT t.relname::text FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
            JOIN pg_namespace n ON n.oid = t.relnamespace
            WHERE n.nspname = 'anabranch' AND contype = 'p'
            AND t.relname NOT IN \(Self.sharedTables)
            """)
        #expect(tables.count > 10)
        #expect(Set(tables) == Set(keyed))
    }

    @Test func `no foreign key, sequence or trigger connects zones`() throws {
        #expect(
            try rows(
                """
                SELECT conname::text FROM pg_constraint k
                JOIN pg_namespace n ON n.oid = k.connamespace
                WHERE n.nspname = 'anabranch' AND contype NOT IN ('p', 'u')
                """) == [])
        #expect(
            try rows(
                """
                SELECT relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'anabranch' AND relkind NOT IN ('r', 'i')
                """) == [])
        #expect(try rows("SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal") == [])
    }

    @Test func `a step makes a later version of the tables, which this server refuses`() throws {
        let location = try PostgreSQLLocation(PostgreSQLCluster.shared.get().makeDatabase())
        let open = { try PostgreSQLBackEnd(location, environment: .system) }
        try open().close()
        let pool = PostgreSQLPool(location)
        let step = ["ALTER TABLE anabranch.zone ADD COLUMN made_up bigint"]
        for _ in 0..<2 {
            try pool.withSession { try ZoneTables.update($0, by: ZoneTables.migrations + [step]) }
        }
        do {
            try open().close()
            Issue.record("The back end was opened.")
        } catch let error as StorageError {
            #expect(error.code == .newerFormat)
            #expect(error.message.contains("version 2"))
        }
        let zones = try pool.withSession {
            try $0.run(PostgreSQLStatement("SELECT count(made_up) FROM anabranch.zone"))
        }
        #expect(zones.first?.int64(at: 0) == 0)
        pool.close()
    }

    /// The log's lines, with the further lines of a statement, which begin with a tabulator.
    private static func joined(_ lines: [String]) -> [String] {
        lines.reduce(into: []) { joined, line in
            if line.hasPrefix("\t"), !joined.isEmpty {
                joined[joined.count - 1] += " " + line.dropFirst()
            } else {
                joined.append(line)
            }
        }
    }

    /// The values of `$1` in the transactions of the server's log.
    private func zonesByTransaction(_ lines: [String]) -> [String: Set<String>] {
        var zones: [String: Set<String>] = [:]
        for line in lines {
            guard let range = line.range(of: "parameters: $1 = '"),
                let transaction = line.split(separator: " ").first
            else { continue }
            let zone = line[range.upperBound...].prefix { $0 != "'" }
            if zone.hasPrefix("zone-") { zones[String(transaction), default: []].insert("\(zone)") }
        }
        return zones
    }

    @Test func `each statement names one zone, and each transaction only that`() throws {
        let cluster = try PostgreSQLCluster([
            "log_statement=all", "log_line_prefix=%p/%v ",
        ])
        let server = try TestServer(at: try StoreLocation(cluster.makeDatabase()))
        for name in ["zone-a", "zone-b"] {
            let zone = try ZoneName(name)
            _ = try server.store.createToken(zone: zone, role: .write)
            try server.store.withZone(zone) { try $0.useEverything() }
        }
        server.stop()
        cluster.stop()
        let lines = Self.joined(try cluster.logLines())
        let zones = zonesByTransaction(lines)
        #expect(zones.count > 20)
        #expect(zones.values.filter { $0.count > 1 } == [])
        let statements = lines.filter { $0.contains(" execute s") && $0.contains("anabranch.") }
        #expect(statements.count > 50)
        let others = statements.filter { statement in
            ![
                "zone = $1", "zone=$1", "SELECT $1", "VALUES ($1", "anabranch.token",
                "anabranch.migration", "anabranch.moved", "CREATE ", "ALTER TABLE",
            ].contains { statement.contains($0) }
        }
        #expect(others == [])
    }
}
