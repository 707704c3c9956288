import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct PostgreSQLConnectionTests {
    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    @Test func `a database that is not there is named without its password`() throws {
        let location = try PostgreSQLLocation("postgres://me:secret@127.0.0.1:1/zones")
        let message = message { _ = try PostgreSQLConnection(location, timeout: .seconds(1)) }
        let text = try #require(message)
        #expect(text.hasPrefix("Can't connect to postgres://127.0.0.1/zones because "))
        #expect(text.contains("Connection refused; Is the server running"))
        #expect(text.hasSuffix("connections."))
        #expect(!text.contains("secret"))
    }

    @Test func `an address that can't be read says why`() {
        let message = message { _ = try PostgreSQLLocation("postgres://a/b?no_such_option=1") }
        #expect(message?.contains("no_such_option") == true)
    }

    @Test(.needsPostgreSQL)
    func `the first failure ends a group, and the connection goes on`() throws {
        let location = try PostgreSQLLocation(PostgreSQLCluster.shared.get().url())
        let connection = try PostgreSQLConnection(location, timeout: .seconds(30))
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.run([
                PostgreSQLStatement("SELECT 1"), PostgreSQLStatement("SELECT no_such_column"),
                PostgreSQLStatement("SELECT 2"),
            ])
        }
        #expect(error?.state == "42703")
        #expect(error?.isConnectionLost == false)
        let values: [PostgreSQLValue] = [
            .integer(-7), .text("é"), .bytes([0, 255]), .null, .integers([1, 2]),
            .blobs([[1], nil, []]),
        ]
        let row = try #require(
            connection.run(
                PostgreSQLStatement(
                    """
                    SELECT $1::bigint, $2::text, $3::bytea, $4::bigint IS NULL,
                        (SELECT sum(n)::bigint FROM unnest($5::bigint[]) AS n),
                        (SELECT count(*) FROM unnest($6::bytea[]) AS b WHERE b IS NULL)
                    """, values)
            ).first)
        #expect(row.int64(at: 0) == -7)
        #expect(row.string(at: 1) == "é")
        #expect(row.bytes(at: 2) == [0, 255])
        #expect(row.int64(at: 3) == 1)
        #expect(row.int64(at: 4) == 3)
        #expect(row.int64(at: 5) == 1)
    }

    @Test(.needsPostgreSQL)
    func `a server that does not answer in time is given up`() throws {
        let location = try PostgreSQLLocation(PostgreSQLCluster.shared.get().url())
        let connection = try PostgreSQLConnection(location, timeout: .milliseconds(200))
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.run(PostgreSQLStatement("SELECT pg_sleep(20)"))
        }
        #expect(error?.isConnectionLost == true)
        #expect(error?.kind == .unavailable)
        #expect(connection.isBroken)
    }

    @Test(.needsPostgreSQL)
    func `idle connections are not used any more after another one has failed`() throws {
        let location = try PostgreSQLLocation(PostgreSQLCluster.shared.get().url())
        let pool = PostgreSQLPool(location)
        defer { pool.close() }
        try pool.withSession { _ in try pool.withSession { _ in } }
        #expect(pool.counts == (open: 2, idle: 2))
        try pool.withSession { $0.connection.abandon() }
        #expect(pool.counts == (open: 0, idle: 0))
        try pool.withSession { _ in }
        #expect(pool.counts == (open: 1, idle: 1))
    }
}
