/// A connection with the settings of this server, and at most one open transaction.
final class PostgreSQLSession {
    let connection: any PostgreSQLLink
    /// The identity of the database's history: the cluster and its timeline.
    ///
    /// Another one means that the database was restored, or that a standby took over, which may
    /// lack the last commits. Empty if the database does not tell.
    let history: String
    private(set) var isInTransaction = false

    init(_ location: PostgreSQLLocation, options: PostgreSQLPool.Options) throws {
        connection = try options.connect(
            location, options.statementTimeout + .seconds(5), options.stop)
        try Self.configure(connection, options)
        history = try Self.history(of: connection)
    }

    private static func configure(
        _ connection: any PostgreSQLLink, _ options: PostgreSQLPool.Options
    ) throws {
        func set(_ name: String, _ duration: Duration) -> PostgreSQLStatement {
            PostgreSQLStatement("SET \(name) = \(Int(duration / .milliseconds(1)))")
        }
        _ = try connection.run([
            set("statement_timeout", options.statementTimeout),
            set("lock_timeout", options.lockTimeout),
            PostgreSQLStatement("SET client_min_messages = warning"),
            set("idle_in_transaction_session_timeout", options.statementTimeout),
            // Statements are planned once, perhaps while a table is empty. All of them look rows up
            // by keys that begin with the zone, so these plans are right for tables of any size.
            PostgreSQLStatement("SET plan_cache_mode = force_generic_plan"),
            PostgreSQLStatement("SET enable_seqscan = off"),
            PostgreSQLStatement("SET enable_hashjoin = off"),
            PostgreSQLStatement("SET enable_mergejoin = off"),
            PostgreSQLStatement("SET jit = off"),
            // A statement of a daemon that has ended, or that has given the statement up, ends too
            // and releases its locks. PostgreSQL looks for that since version 14.
            PostgreSQLStatement(
                """
                SELECT set_config(name, '1000', false) FROM pg_settings
                WHERE name = 'client_connection_check_interval'
                """),
            // An acknowledged push is durable, also where the database's default says otherwise.
            PostgreSQLStatement(
                """
                SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off'
                """),
        ])
    }

    private static func history(of connection: any PostgreSQLLink) throws -> String {
        do {
            return try connection.run(
                PostgreSQLStatement(
                    """
                    SELECT system_identifier || ':'
                        || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
                    FROM pg_control_system()
                    """)
            ).first?.string(at: 0) ?? ""
        } catch let error as PostgreSQLError where ["42883", "42501"].contains(error.state) {
            // A database that only speaks PostgreSQL's protocol, or hides these functions.
            return ""
        }
    }

    /// Runs statements in their order, in one round trip.
    func run(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows] {
        try connection.run(statements)
    }

    func run(_ statement: PostgreSQLStatement) throws -> PostgreSQLRows {
        try connection.run(statement)
    }

    /// Begins a transaction and runs the first statements in it, in one round trip.
    ///
    /// - Returns: The results of the statements.
    func begin(
        _ mode: TransactionMode, _ statements: [PostgreSQLStatement]
    ) throws -> [PostgreSQLRows] {
        isInTransaction = true
        return Array(try run([PostgreSQLStatement(mode.rawValue)] + statements).dropFirst())
    }

    enum TransactionMode: String {
        /// All statements see one state.
        case reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        /// A statement after a lock sees what the lock's former holder has committed.
        case writing = "BEGIN ISOLATION LEVEL READ COMMITTED"
    }

    /// Runs the last statements of the transaction and commits it, in one round trip.
    ///
    /// - Throws: An error after which nothing of the transaction is kept, unless
    ///   `isConnectionLost` is true: then the commit's result is unknown.
    func commit(_ statements: [PostgreSQLStatement] = []) throws {
        let results = try run(statements + [PostgreSQLStatement("COMMIT")])
        isInTransaction = false
        guard results.last?.command == "COMMIT" else {
            throw PostgreSQLError("The database rolled the transaction back.", state: "40000")
        }
    }

    /// Rolls back a transaction that was not committed.
    func endTransaction() {
        guard isInTransaction, !connection.isBroken else { return }
        do { _ = try run(PostgreSQLStatement("ROLLBACK")) } catch { connection.abandon() }
        isInTransaction = false
    }
}
