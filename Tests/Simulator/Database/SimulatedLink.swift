import AnabranchSQLite
import AnabranchServer
import TestSupport

/// A daemon's connection to the simulated database. It fails as a connection of libpq does.
final class SimulatedLink: PostgreSQLLink {
    private let database: SimulatedDatabase
    private let client: DatabaseClient
    private let connection: Connection
    private let life: Int
    private(set) var isBroken = false
    /// Whether a statement of the open transaction has failed. All others are refused then.
    private var isAborted = false

    /// Connects.
    ///
    /// - Throws: The error of a server that can't be reached, now and then.
    init(_ database: SimulatedDatabase, _ client: DatabaseClient) throws {
        self.database = database
        self.client = client
        life = database.life
        if case .lostBefore = database.fate(of: client) { throw Self.lost("connect") }
        connection = try Connection(
            path: database.path, vfs: database.world.disk.name, busyTimeout: .zero)
        // The database itself loses nothing; its disk is not what is tested here.
        _ = try connection.firstValue("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = OFF")
    }

    /// A connection that was lost while it was idle is noticed in most cases.
    var isAlive: Bool {
        guard !isBroken else { return false }
        guard life != database.life else { return true }
        return database.isDisturbed && client.isDisturbed && database.world.oneIn(4)
    }

    func abandon() {
        isBroken = true
        connection.close()
    }

    private static func lost(_ action: String) -> PostgreSQLError {
        PostgreSQLError(
            "Can't \(action) because the server closed the connection unexpectedly.",
            isConnectionLost: true)
    }

    /// Ends the connection, and with it an open transaction.
    private func lose() -> PostgreSQLError {
        abandon()
        return Self.lost("read an answer of the database")
    }

    func run(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows] {
        guard !isBroken else { throw Self.lost("send a statement") }
        let fate = database.fate(of: client)
        // A request that ran meanwhile may have ended the database.
        guard life == database.life, !isBroken else { throw lose() }
        switch fate {
        case .done: return try perform(statements)
        case .refused(let state):
            database.count(.statementRefused)
            isAborted = connection.isInTransaction
            throw PostgreSQLError("The database refused a statement.", state: state)
        case .lostBefore:
            database.count(.connectionLost)
            throw lose()
        case .lostAfter:
            _ = try? perform(statements)
            let isCommit = statements.last?.sql == "COMMIT"
            database.count(isCommit ? .commitAnswerLost : .connectionLost)
            throw lose()
        }
    }

    func notifications(within time: Duration) throws -> [PostgreSQLNotification] { [] }

    // MARK: Groups

    /// Runs a group of statements. A group outside of a transaction is a transaction.
    private func perform(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows] {
        guard !connection.isInTransaction, !isAborted, statements.contains(where: \.mayWrite),
            statements.first?.sql.hasPrefix("BEGIN") == false
        else { return try performAll(statements) }
        do {
            try execute("BEGIN IMMEDIATE")
            let rows = try performAll(statements)
            try execute("COMMIT")
            return rows
        } catch {
            try rollBack()
            throw error
        }
    }

    /// Runs statements up to the first failure.
    ///
    /// As with libpq's pipelines, an unexpected number of changed rows is noticed by the client,
    /// after the last statement.
    private func performAll(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows] {
        var mismatch: PostgreSQLError?
        let results = try statements.map { statement in
            let rows = try perform(statement)
            if let expected = statement.changes, expected != rows.changes {
                mismatch =
                    mismatch
                    ?? PostgreSQLError(
                        "A statement has changed \(rows.changes) rows instead of \(expected): "
                            + statement.sql)
            }
            return rows
        }
        if let mismatch { throw mismatch }
        return results
    }

    private func perform(_ statement: PostgreSQLStatement) throws -> PostgreSQLRows {
        let sql = statement.sql
        do {
            if let rows = try performControl(sql) { return rows }
            guard !isAborted else {
                throw PostgreSQLError("The transaction was aborted.", state: "25P02")
            }
            let translated = SimulatedSQL.translating(sql)
            guard !translated.isSetting else { return Self.done() }
            guard !translated.asksForHistory else {
                return PostgreSQLRows(
                    [[Array(database.history.utf8)]], columns: 1, changes: 0, command: "SELECT 1")
            }
            let (text, values) = translated.bound(to: statement.parameters)
            return try query(text, values, mayWrite: statement.mayWrite)
        } catch let error as SQLiteError {
            isAborted = connection.isInTransaction
            throw PostgreSQLError("\(error)", state: Self.state(of: error))
        }
    }

    private static func state(of error: SQLiteError) -> String {
        switch error.code {
        // Another transaction holds the lock until the daemon's patience ends.
        case .busy: "55P03"
        case .constraint: "23505"
        default: "XX000"
        }
    }

    private static func done(_ command: String = "") -> PostgreSQLRows {
        PostgreSQLRows([], columns: 0, changes: 0, command: command)
    }

    private func execute(_ sql: String) throws {
        do {
            try connection.execute(sql)
        } catch let error as SQLiteError {
            throw PostgreSQLError("\(error)", state: Self.state(of: error))
        }
    }

    private func rollBack() throws {
        isAborted = false
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
    }

    /// Begins or ends a transaction or a part of one.
    ///
    /// - Returns: `nil` for any other statement.
    private func performControl(_ sql: String) throws -> PostgreSQLRows? {
        switch sql {
        case _ where sql.hasPrefix("BEGIN"):
            try connection.execute(sql.hasSuffix("READ ONLY") ? "BEGIN" : "BEGIN IMMEDIATE")
            return Self.done("BEGIN")
        case "COMMIT" where isAborted:
            try rollBack()
            return Self.done("ROLLBACK")
        case "COMMIT":
            try connection.execute("COMMIT")
            return Self.done("COMMIT")
        case "ROLLBACK":
            try rollBack()
            return Self.done("ROLLBACK")
        case _ where sql.hasPrefix("ROLLBACK TO SAVEPOINT"):
            isAborted = false
            try connection.execute(sql)
            return Self.done("ROLLBACK")
        default: return nil
        }
    }

    private func query(
        _ text: String, _ values: [SQLiteValue], mayWrite: Bool
    ) throws -> PostgreSQLRows {
        let prepared = try connection.cached(text)
        for (index, value) in values.enumerated() { try prepared.bind(value, at: index + 1) }
        var rows: [[[UInt8]?]] = []
        while try prepared.step() {
            rows.append(
                (0..<prepared.columnCount).map { prepared.value(at: $0).postgreSQLBytes })
        }
        return PostgreSQLRows(
            rows, columns: prepared.columnCount,
            changes: mayWrite ? connection.changes : rows.count, command: "")
    }
}

extension PostgreSQLStatement {
    fileprivate var mayWrite: Bool { !sql.hasPrefix("SELECT") && !sql.hasPrefix("SET") }
}
