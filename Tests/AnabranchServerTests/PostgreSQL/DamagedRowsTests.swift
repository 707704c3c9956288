import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Damaged rows of a zone in PostgreSQL fail the requests that read them, and nothing else of the
/// server.
@Suite(.needsPostgreSQL) struct DamagedRowsTests {
    /// A zone in the database, of which every case gets a copy.
    private struct Sample {
        let place: PostgreSQLPlace
        let requests: EveryRequest

        init() throws {
            place = try PostgreSQLPlace()
            let zone = try Self.service(place.open())
            defer { zone.close() }
            requests = try EveryRequest(filling: zone)
        }

        static func service(_ storage: any ZoneStorage) throws -> ZoneService {
            ZoneService(
                name: try ZoneName("test"), storage: storage,
                wallMilliseconds: { 1_700_000_000_000 })
        }

        func run(_ sql: String, _ parameters: PostgreSQLValue...) throws -> PostgreSQLRows {
            try place.pool.withSession { try $0.run(PostgreSQLStatement(sql, parameters)) }
        }

        /// The columns of the zone's tables, except its name.
        func columns() throws -> [(table: String, name: String, type: String)] {
            try run(
                """
                SELECT table_name::text, column_name::text, data_type::text
                FROM information_schema.columns c
                WHERE table_schema = 'anabranch' AND column_name <> 'zone' AND table_name IN (
                    SELECT table_name FROM information_schema.columns
                    WHERE table_schema = 'anabranch' AND column_name = 'zone')
                AND table_name <> 'token' ORDER BY table_name, ordinal_position
                """
            ).map { ($0.string(at: 0), $0.string(at: 1), $0.string(at: 2)) }
        }

        /// Copies the rows of the sample to a zone of another name.
        func copy(to zone: String, tables: Set<String>) throws {
            for table in tables {
                _ = try run(
                    """
                    INSERT INTO anabranch.\(table)
                    SELECT (jsonb_populate_record(r, jsonb_build_object('zone', $2::text))).*
                    FROM anabranch.\(table) r WHERE zone = $1
                    """, .text(place.zone), .text(zone))
            }
        }

        /// - Returns: The errors of requests on a copy, or `nil` if it can't be opened.
        func use(_ zone: String) -> [String: ProtocolError]? {
            let options = PostgreSQLZoneStorage.Options(newEpoch: { EpochID(high: 1, low: 1) })
            guard
                let storage = try? PostgreSQLZoneStorage(place.pool, zone: zone, options: options)
            else { return nil }
            guard let service = try? Self.service(storage) else { return nil }
            defer { service.close() }
            return requests.run(service)
        }

        func remove(_ zone: String, tables: Set<String>) throws {
            for table in tables {
                _ = try run("DELETE FROM anabranch.\(table) WHERE zone = $1", .text(zone))
            }
        }
    }

    private static func values(for column: String, _ type: String) -> [String] {
        switch type {
        case "bigint":
            ["-1", "-9223372036854775808", "9223372036854775807", "0", "\(column) + 1", "NULL"]
        case "bytea":
            [
                "''::bytea", "NULL", "substring(\(column) FROM 1 FOR octet_length(\(column)) / 2)",
                "set_byte(\(column), 0, 255)",
                "set_byte(\(column), octet_length(\(column)) / 2, 255)",
                "set_byte(\(column), octet_length(\(column)) - 1, 127)",
            ]
        default: ["''", "'text'"]
        }
    }

    private static let divisor: UInt64 = 16

    @Test(arguments: TestLength.seeds(divisor))
    func `a hostile value in any column never ends the server`(part: UInt64) throws {
        let sample = try Sample()
        let columns = try sample.columns()
        let tables = Set(columns.map(\.table))
        let damages = columns.flatMap { column in
            Self.values(for: column.name, column.type).flatMap { value in
                [
                    """
                    UPDATE anabranch.\(column.table) SET \(column.name) = \(value)
                    WHERE zone = $1
                    """,
                    """
                    UPDATE anabranch.\(column.table) SET \(column.name) = \(value)
                    WHERE zone = $1 AND ctid = (SELECT ctid FROM anabranch.\(column.table)
                        WHERE zone = $1 ORDER BY \(column.name) DESC LIMIT 1)
                    """,
                ]
            }
        }
        #expect(damages.count > 300)
        for (number, sql) in damages.enumerated() where UInt64(number) % Self.divisor == part {
            let zone = "damaged-\(UUID().uuidString.lowercased())"
            try sample.copy(to: zone, tables: tables)
            // A constraint may forbid the value.
            if let changed = try? sample.run(sql, .text(zone)), changed.changes > 0 {
                _ = sample.use(zone)
            }
            try sample.remove(zone, tables: tables)
        }
    }

    /// Each statement makes a stored number or name one that no zone has.
    @Test(
        arguments: [
            ("UPDATE anabranch.zone SET bytes = 9223372036854775807 WHERE zone = $1", "hello"),
            ("UPDATE anabranch.zone SET epochs = '\\x0102' WHERE zone = $1", "hello"),
            ("UPDATE anabranch.zone SET replicas = -1 WHERE zone = $1", "hello"),
            (
                "UPDATE anabranch.replica SET ordinal = 9223372036854775807 "
                    + "WHERE zone = $1 AND ordinal = 1", "hash"
            ),
            (
                "UPDATE anabranch.replica SET ordinal = 0 - 5 WHERE zone = $1 AND ordinal = 1",
                "hash"
            ),
            ("UPDATE anabranch.record SET entity = -1 WHERE zone = $1 AND key = 3", "hash"),
            ("UPDATE anabranch.record SET cells = '\\x05' WHERE zone = $1 AND key = 3", "hash"),
        ] as [(String, String)])
    func `a damaged number fails the requests that read it`(
        sql: String, failing: String
    ) throws {
        let sample = try Sample()
        let tables = Set(try sample.columns().map(\.table))
        let zone = "damaged-\(UUID().uuidString.lowercased())"
        try sample.copy(to: zone, tables: tables)
        defer { try? sample.remove(zone, tables: tables) }
        #expect(try sample.run(sql, .text(zone)).changes > 0)
        guard let errors = sample.use(zone) else { return }
        #expect(errors[failing]?.code == .internalError)
        #expect(errors[failing]?.details["cause"]?.contains("damaged") == true)
    }

    /// A reader that gets its rows in another order, as from a damaged index.
    private final class DisorderedReader: PostgreSQLZoneReader {
        override func query(
            _ sql: String, _ parameters: PostgreSQLValue...
        ) throws -> PostgreSQLRows {
            let sql = sql.replacingOccurrences(of: "ORDER BY key", with: "ORDER BY key DESC")
            return try session.run(PostgreSQLStatement(sql, [.text(zone)] + parameters))
        }
    }

    @Test func `rows in another order than their keys fail the request`() throws {
        let zone = try TestZone(.postgreSQL)
        var author = TestAuthor(1)
        #expect(try zone.push(author.insertPeople(3).0).refusal == nil)
        let error = #expect(throws: StorageError.self) {
            try zone.storage.read { reader in
                let whole = try #require(reader as? PostgreSQLZoneReader)
                try DisorderedReader(
                    whole.session, zone: whole.zone, row: whole.row, names: ZoneNameCache()
                ).forEachRecord { _ in }
            }
        }
        #expect(error?.code == .damaged)
    }
}
