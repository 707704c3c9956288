import Foundation
import TestSupport

@testable import AnabranchServer

/// A database with zone tables that are partitioned by hash of the zone.
///
/// The tables are made by the server's own migrations and then replaced, while they are empty. The
/// server's code does not know of it.
enum PartitionedDatabase {
    /// The places of the partitions.
    enum Kind: String {
        /// The partitions are tables of the same database.
        case tables
        /// The partitions are tables of other servers, reached by `postgres_fdw`.
        case servers
    }

    /// The kind in `ANABRANCH_TEST_PARTITIONS`, with which all tests of the back end run; `nil` for
    /// plain tables.
    static let chosen = ProcessInfo.processInfo.environment["ANABRANCH_TEST_PARTITIONS"]
        .flatMap(Kind.init)

    private static let servers = Result { try (0..<3).map { _ in try PostgreSQLCluster() } }

    /// Creates a database of a new name in the tests' own cluster, partitioned if that was chosen.
    ///
    /// - Returns: Its URL.
    static func make() throws -> String {
        let url = try PostgreSQLCluster.shared.get().makeDatabase()
        switch chosen {
        case nil: break
        case .tables: try partition(url)
        case .servers: try partition(url, over: servers.get())
        }
        return url
    }

    /// Replaces the zone tables by tables with partitions in the same database.
    static func partition(_ url: String) throws {
        try use(url) { session in
            for table in try zoneTables(session) {
                let partitions = (0..<3).map {
                    "CREATE TABLE anabranch.\(table)_\($0) \(partition($0, of: table))"
                }
                try replace(table, "INCLUDING ALL", partitions, session)
            }
        }
    }

    /// Replaces the zone tables by tables with a partition on each server.
    ///
    /// A table with partitions on other servers can't have a unique index; the partitions have
    /// them.
    static func partition(_ url: String, over servers: [PostgreSQLCluster]) throws {
        let urls = try servers.map { try $0.makeDatabase() }
        for url in urls { try use(url) { _ in } }
        try use(url) { session in
            try run("CREATE EXTENSION postgres_fdw", session)
            for (number, url) in urls.enumerated() {
                let options = try PostgreSQLLocation(url).options
                let (host, port) = (options["host"] ?? "", options["port"] ?? "")
                try run(
                    """
                    CREATE SERVER zones\(number) FOREIGN DATA WRAPPER postgres_fdw OPTIONS (
                        host '\(host)', port '\(port)', dbname '\(options["dbname"] ?? "")',
                        use_remote_estimate 'true', batch_size '1000', fetch_size '1000')
                    """, session)
                try run(
                    """
                    CREATE USER MAPPING FOR PUBLIC SERVER zones\(number)
                    OPTIONS (user 'postgres')
                    """, session)
            }
            for table in try zoneTables(session) {
                let partitions = servers.indices.map {
                    """
                    CREATE FOREIGN TABLE anabranch.\(table)_\($0) \(partition($0, of: table))
                    SERVER zones\($0) OPTIONS (schema_name 'anabranch', table_name '\(table)')
                    """
                }
                try replace(table, "", partitions, session)
            }
        }
    }

    private static func partition(_ number: Int, of table: String) -> String {
        """
        PARTITION OF anabranch.\(table) FOR VALUES WITH (MODULUS 3, REMAINDER \(number))
        """
    }

    private static func zoneTables(_ session: PostgreSQLSession) throws -> [String] {
        try session.run(
            PostgreSQLStatement(
                """
                SELECT c.table_name::text FROM information_schema.columns AS c
                WHERE c.table_schema = 'anabranch' AND c.column_name = 'zone'
                AND c.table_name <> 'token' ORDER BY 1
                """)
        ).map { $0.string(at: 0) }
    }

    private static func replace(
        _ table: String, _ including: String, _ partitions: [String], _ session: PostgreSQLSession
    ) throws {
        let statements =
            [
                "ALTER TABLE anabranch.\(table) RENAME TO \(table)_plain",
                """
                CREATE TABLE anabranch.\(table) (LIKE anabranch.\(table)_plain \(including))
                PARTITION BY HASH (zone)
                """,
            ] + partitions + ["DROP TABLE anabranch.\(table)_plain"]
        for statement in statements { try run(statement, session) }
    }

    private static func run(_ sql: String, _ session: PostgreSQLSession) throws {
        _ = try session.run(PostgreSQLStatement(sql))
    }

    /// Calls `body` with a session of a database that has the tables.
    private static func use(_ url: String, _ body: (PostgreSQLSession) throws -> Void) throws {
        let pool = PostgreSQLPool(try PostgreSQLLocation(url))
        defer { pool.close() }
        try pool.withSession { session in
            try ZoneTables.update(session)
            try body(session)
        }
    }
}
