import AnabranchProtocol
import AnabranchReplication
import Synchronization

/// Tokens in a PostgreSQL database, which several daemons share.
///
/// A token that was found is not looked up again for a second, because each request asks for it.
/// So a revoked token is refused by every daemon within a second, and at once by the one that
/// revoked it.
final class PostgreSQLTokenStore: TokenStore {
    private let pool: PostgreSQLPool
    private let wallMilliseconds: @Sendable () -> Int64
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let found = Mutex<[Digest: (token: AccessToken, time: Int64)]>([:])

    /// The time for which a token is not looked up again.
    private static let keptMilliseconds: Int64 = 1000
    /// The greatest number of tokens that are kept.
    private static let greatestKept = 10_000
    /// The least time between two writes of a token's last use.
    private static let useMilliseconds: Int64 = 60_000
    private static let columns = "number, zone, role, created, used, revoked, expires"

    init(
        _ pool: PostgreSQLPool, wallMilliseconds: @escaping @Sendable () -> Int64,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.pool = pool
        self.wallMilliseconds = wallMilliseconds
        self.randomBytes = randomBytes
    }

    private func use<Result>(_ body: (PostgreSQLSession) throws -> Result) throws -> Result {
        try StorageError.convertingPostgreSQL { try pool.withSession(body) }
    }

    private func run(_ sql: String, _ parameters: PostgreSQLValue...) throws -> PostgreSQLRows {
        try use { try $0.run(PostgreSQLStatement(sql, parameters)) }
    }

    func create(
        for zones: ZonePattern, role: TokenRole, expires: Int64?
    ) throws -> (token: AccessToken, secret: TokenSecret) {
        guard let secret = TokenSecret(bytes: randomBytes(TokenSecret.byteCount)) else {
            preconditionFailure("a source of randomness gives as many bytes as it is asked for")
        }
        let now = wallMilliseconds()
        let number = try use { session in
            _ = try session.begin(.writing, [Self.locking])
            let row = try session.run(
                PostgreSQLStatement(
                    """
                    INSERT INTO anabranch.token(number, hash, zone, role, created, expires)
                    SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4, $5 FROM anabranch.token
                    RETURNING number
                    """, .bytes(secret.hash.bytes), .text(zones.description),
                    .text(role.rawValue), .integer(now), expires.map { .integer($0) } ?? .null))
            try session.commit()
            return row.first?.int64(at: 0) ?? 0
        }
        let token = AccessToken(
            number: number, zones: zones, role: role, created: now, expires: expires)
        return (token, secret)
    }

    func tokens(zone: ZoneName?) throws -> [AccessToken] {
        let rows =
            if let zone {
                try run(
                    """
                    SELECT \(Self.columns) FROM anabranch.token
                    WHERE zone = $1 OR zone LIKE '%*' ORDER BY number
                    """, .text(zone.string))
            } else {
                try run("SELECT \(Self.columns) FROM anabranch.token ORDER BY number")
            }
        return try rows.map { try $0.token() }
            .filter { token in zone.map { token.zones.includes($0) } ?? true }
    }

    func stored() throws -> [StoredToken] {
        try run("SELECT \(Self.columns), hash FROM anabranch.token ORDER BY number")
            .map { StoredToken(token: try $0.token(), hash: try $0.digest(at: 7)) }
    }

    func add(_ tokens: [StoredToken]) throws {
        try use { session in
            _ = try session.begin(.writing, [Self.locking])
            for each in tokens { try Self.add(each, session) }
            try session.commit()
        }
    }

    private static func add(_ each: StoredToken, _ session: PostgreSQLSession) throws {
        let token = each.token
        let revoked = token.revoked.map { PostgreSQLValue.integer($0) } ?? .null
        let present = try session.run(
            PostgreSQLStatement(
                "UPDATE anabranch.token SET revoked = coalesce(revoked, $1) WHERE hash = $2",
                revoked, .bytes(each.hash.bytes)))
        guard present.changes == 0 else { return }
        _ = try session.run(
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.token(
                    number, hash, zone, role, created, used, revoked, expires)
                SELECT CASE WHEN EXISTS (SELECT 1 FROM anabranch.token WHERE number = $1)
                    THEN (SELECT max(number) + 1 FROM anabranch.token) ELSE $1 END,
                    $2::bytea, $3::text, $4::text, $5::bigint, $6::bigint, $7::bigint,
                    $8::bigint
                """, .integer(token.number), .bytes(each.hash.bytes),
                .text(token.zones.description),
                .text(token.role.rawValue), .integer(token.created),
                token.lastUsed.map { .integer($0) } ?? .null, revoked,
                token.expires.map { .integer($0) } ?? .null))
    }

    /// Keeps two transactions from taking one number.
    private static let locking = PostgreSQLStatement(
        "LOCK TABLE anabranch.token IN SHARE ROW EXCLUSIVE MODE")

    func revoke(_ number: Int64) throws -> AccessToken? {
        defer { found.withLock { $0 = [:] } }
        return try run(
            """
            UPDATE anabranch.token SET revoked = coalesce(revoked, $2) WHERE number = $1
            RETURNING \(Self.columns)
            """, .integer(number), .integer(wallMilliseconds())
        ).first?.token()
    }

    func token(matching text: String) throws -> AccessToken? {
        guard let hash = TokenSecret(text)?.hash else { return nil }
        let now = wallMilliseconds()
        if let kept = found.withLock({ $0[hash] }),
            (0..<Self.keptMilliseconds).contains(now - kept.time)
        {
            return kept.token
        }
        let row = try run(
            """
            SELECT \(Self.columns) FROM anabranch.token WHERE hash = $1 AND revoked IS NULL
            """, .bytes(hash.bytes)
        ).first
        guard let token = try row?.token() else { return nil }
        found.withLock { found in
            if found.count >= Self.greatestKept { found = [:] }
            found[hash] = (token, now)
        }
        recordUse(of: token, at: now)
        return token
    }

    private func recordUse(of token: AccessToken, at now: Int64) {
        guard now - (token.lastUsed ?? 0) >= Self.useMilliseconds else { return }
        // A failure to record the last use must not fail the request.
        _ = try? run(
            "UPDATE anabranch.token SET used = $2 WHERE number = $1", .integer(token.number),
            .integer(now))
    }

    func close() {}
}
