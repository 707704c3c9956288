public import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation
import Synchronization

/// Tokens in a SQLite file, which several processes may open.
///
/// A revoked token is refused from the next request on, also by a running daemon: only the times of
/// last use are kept in memory.
public final class SQLiteTokenStore: TokenStore {
    private let readers: ConnectionPool
    private let writing = NSLock()
    /// Used only while `writing` is held.
    nonisolated(unsafe) private let connection: Connection
    private let wallMilliseconds: @Sendable () -> Int64
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let used = Mutex<Used>(Used())

    private struct Used {
        var times: [Int64: Int64] = [:]
        var lastFlush: Int64 = 0
    }

    /// The time between two writes of the tokens' last uses.
    static let flushMilliseconds: Int64 = 60_000
    static let tables = TableFormat(
        creation: """
            CREATE TABLE token(
                number INTEGER PRIMARY KEY AUTOINCREMENT, prefix INTEGER NOT NULL,
                hash BLOB NOT NULL UNIQUE, zone TEXT NOT NULL, role TEXT NOT NULL,
                created INTEGER NOT NULL, used INTEGER, revoked INTEGER, expires INTEGER);
            CREATE INDEX token_prefix ON token(prefix);
            """)

    /// Opens a token file; creates it if it is missing.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - wallMilliseconds: The time since 1970-01-01 UTC.
    ///   - randomBytes: A source of unpredictable random bytes.
    public init(
        path: String, wallMilliseconds: @escaping @Sendable () -> Int64,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) throws {
        connection = try StorageError.convertingSQLite(of: path) {
            let connection = try Connection(path: path)
            try connection.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = 1")
            try connection.transaction {
                if try !Self.tables.update(connection) { try Self.tables.create(connection) }
            }
            return connection
        }
        readers = ConnectionPool(path: path, limit: 4)
        self.wallMilliseconds = wallMilliseconds
        self.randomBytes = randomBytes
    }

    /// Creates a token; its secret is stored only as a hash.
    public func create(
        for zones: ZonePattern, role: TokenRole, expires: Int64?
    ) throws -> (token: AccessToken, secret: TokenSecret) {
        guard let secret = TokenSecret(bytes: randomBytes(TokenSecret.byteCount)) else {
            preconditionFailure("a source of randomness gives as many bytes as it is asked for")
        }
        let now = wallMilliseconds()
        let number = try writing.withLock {
            try connection.transaction {
                try connection.run(
                    """
                    INSERT INTO token(prefix, hash, zone, role, created, expires)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """, .integer(Int64(bitPattern: secret.hash.prefix)),
                    .blob(secret.hash.bytes), .text(zones.description), .text(role.rawValue),
                    .integer(now), expires.map { .integer($0) } ?? .null)
                return connection.lastInsertRowID
            }
        }
        let token = AccessToken(
            number: number, zones: zones, role: role, created: now, expires: expires)
        return (token, secret)
    }

    /// The tokens that give access to a zone, or all tokens, in the order of their numbers.
    public func tokens(zone: ZoneName?) throws -> [AccessToken] {
        try readers.read { connection in
            let rows = try connection.cached(
                """
                SELECT \(Self.columns) FROM token
                WHERE ?1 IS NULL OR zone = ?1 OR zone LIKE '%*' ORDER BY number
                """)
            if let zone { try rows.bind(zone.string, at: 1) }
            var tokens: [AccessToken] = []
            while try rows.step() { tokens.append(try rows.token()) }
            return tokens.filter { token in zone.map { token.zones.includes($0) } ?? true }
        }
    }

    /// All tokens with the digests of their secrets.
    public func stored() throws -> [StoredToken] {
        try readers.read { connection in
            try connection.cached("SELECT \(Self.columns), hash FROM token ORDER BY number").map {
                StoredToken(token: try $0.token(), hash: try $0.digest(at: 7))
            }
        }
    }

    /// Inserts tokens of a copy.
    public func add(_ tokens: [StoredToken]) throws {
        try writing.withLock {
            try connection.transaction {
                for each in tokens { try Self.add(each, connection) }
            }
        }
    }

    private static func add(_ each: StoredToken, _ connection: Connection) throws {
        let token = each.token
        let revoked = token.revoked.map { SQLiteValue.integer($0) } ?? .null
        let hash = SQLiteValue.blob(each.hash.bytes)
        try connection.run(
            "UPDATE token SET revoked = coalesce(revoked, ?) WHERE hash = ?", revoked, hash)
        guard connection.changes == 0 else { return }
        let isTaken =
            try connection.integer(
                "SELECT count(*) FROM token WHERE number = \(token.number)") > 0
        try connection.run(
            """
            INSERT INTO token(number, prefix, hash, zone, role, created, used, revoked, expires)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, isTaken ? .null : .integer(token.number),
            .integer(Int64(bitPattern: each.hash.prefix)), hash, .text(token.zones.description),
            .text(token.role.rawValue), .integer(token.created),
            token.lastUsed.map { .integer($0) } ?? .null, revoked,
            token.expires.map { .integer($0) } ?? .null)
    }

    /// Revokes a token; `nil` if there is no token of that number.
    public func revoke(_ number: Int64) throws -> AccessToken? {
        let now = wallMilliseconds()
        return try writing.withLock {
            try connection.transaction {
                try connection.run(
                    "UPDATE token SET revoked = coalesce(revoked, ?) WHERE number = ?",
                    .integer(now), .integer(number))
                return try connection.cached(
                    "SELECT \(Self.columns) FROM token WHERE number = ?", number
                ).first { try $0.token() }
            }
        }
    }

    /// Finds the valid token with a secret; `nil` if it is unknown or revoked.
    public func token(matching text: String) throws -> AccessToken? {
        guard let hash = TokenSecret(text)?.hash else { return nil }
        let token = try readers.read { connection -> AccessToken? in
            let rows = try connection.cached(
                "SELECT \(Self.columns), hash FROM token WHERE prefix = ? AND revoked IS NULL",
                Int64(bitPattern: hash.prefix))
            while try rows.step() {
                if TokenSecret.isSame(hash, try rows.digest(at: 7)) { return try rows.token() }
            }
            return nil
        }
        if let token { recordUse(of: token) }
        return token
    }

    private static let columns = "number, zone, role, created, used, revoked, expires"

    private func recordUse(of token: AccessToken) {
        let now = wallMilliseconds()
        let isDue = used.withLock { used in
            used.times[token.number] = now
            guard now - used.lastFlush >= Self.flushMilliseconds else { return false }
            used.lastFlush = now
            return true
        }
        // A failure to record the last use must not fail the request.
        if isDue { try? flush() }
    }

    private func flush() throws {
        let times = used.withLock { used in
            defer { used.times = [:] }
            return used.times
        }
        try writing.withLock {
            guard connection.isOpen, !times.isEmpty else { return }
            try connection.transaction {
                for (number, time) in times {
                    try connection.run(
                        "UPDATE token SET used = ? WHERE number = ?", .integer(time),
                        .integer(number))
                }
            }
        }
    }

    /// Writes the last uses and closes the file.
    public func close() {
        try? flush()
        readers.close()
        writing.withLock { connection.close() }
    }
}
