package import AnabranchProtocol
import AnabranchReplication
import Foundation

/// A back end in a PostgreSQL database, which any number of daemons share.
///
/// Its tables are in the schema `anabranch`.
package final class PostgreSQLBackEnd: BackEnd {
    package let tokens: any TokenStore
    package let exchange: (any HeadExchange)?
    private let pool: PostgreSQLPool
    private let environment: ServerEnvironment
    private let location: PostgreSQLLocation

    /// Connects, and creates the tables or brings them up to date.
    ///
    /// - Throws: ``StorageError`` `newerFormat` if the tables are those of a later version.
    package init(
        _ location: PostgreSQLLocation, options: PostgreSQLPool.Options = .init(),
        environment: ServerEnvironment
    ) throws {
        // Each process has a name of its own in the database's list of connections.
        let location = location.named("anabranchd \(environment.newEpoch())")
        self.location = location
        pool = PostgreSQLPool(location, options: options)
        self.environment = environment
        exchange = PostgreSQLHeadExchange(
            location, options: options, sender: environment.newEpoch().description)
        tokens = PostgreSQLTokenStore(
            pool, wallMilliseconds: environment.wallMilliseconds,
            randomBytes: environment.randomBytes)
        try use { try ZoneTables.update($0) }
    }

    private func use<Result>(_ body: (PostgreSQLSession) throws -> Result) throws -> Result {
        try StorageError.convertingPostgreSQL { try pool.withSession(body) }
    }

    package func checkIsReady() throws {
        _ = try use { try $0.run(PostgreSQLStatement("SELECT 1 FROM anabranch.zone LIMIT 1")) }
    }

    package var stop: StopSignal { pool.options.stop }

    package var databaseConnections: (open: Int, idle: Int)? { pool.counts }

    package func zones() throws -> [ZoneName] {
        try use { session in
            try session.run(PostgreSQLStatement("SELECT zone FROM anabranch.zone ORDER BY zone"))
                .map { try ZoneName($0.string(at: 0)) }
        }
    }

    package func makeZone(_ name: ZoneName) throws {
        try use { session in
            try PostgreSQLZoneStorage.make(
                name.string, through: session, epoch: environment.newEpoch())
        }
    }

    package func open(_ name: ZoneName) throws -> any ZoneStorage {
        try PostgreSQLZoneStorage(
            pool, zone: name.string,
            options: PostgreSQLZoneStorage.Options(newEpoch: environment.newEpoch))
    }

    package func lockForServing() throws {
        let moved = try use {
            try $0.run(PostgreSQLStatement("SELECT location FROM anabranch.moved"))
        }
        guard let row = moved.first else { return }
        throw StorageError(moved: "\(location)", to: row.string(at: 0))
    }

    package func lockForMoving() throws {
        try lockForServing()
        let others = try use { session in
            try session.run(
                PostgreSQLStatement(
                    """
                    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name LIKE 'anabranchd%' AND application_name <> $1
                    """, .text(pool.location.applicationName)))
        }
        guard others.first?.int64(at: 0) == 0 else {
            throw StorageError(
                .inUse, "Can't move the zones of \(location) because daemons serve them: stop them."
            )
        }
    }

    package func markMoved(to location: String) throws {
        _ = try use {
            try $0.run(
                PostgreSQLStatement(
                    "INSERT INTO anabranch.moved(location) VALUES ($1)", .text(location)))
        }
    }

    package func close() {
        exchange?.close()
        tokens.close()
        pool.close()
    }
}
