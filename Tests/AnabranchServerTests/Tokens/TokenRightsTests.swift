import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct TokenRightsTests {
    private func status(
        _ server: TestServer, _ zone: String, _ secret: String
    ) throws -> (status: Int, body: String) {
        let client = try RawClient(port: server.port)
        client.send(
            server.head(
                "GET", "/v1/zones/\(zone)", role: nil,
                extra: ["Authorization: Bearer \(secret)"]))
        let response = try client.receiveResponse()
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test(.everyStore) func `a token for a beginning opens the zones that begin so`() throws {
        let server = try TestServer()
        let secret = try server.store.createToken(
            for: try ZonePattern("te*"), role: .read
        ).secret.text
        #expect(try status(server, "test", secret).status == 200)
        #expect(try status(server, "other", secret).status == 403)
        #expect(try status(server, "tent", secret).status == 404)
        let listed = try server.store.tokens.tokens(zone: try ZoneName("test"))
        #expect(listed.last?.zones.description == "te*")
        #expect(try server.store.tokens.tokens(zone: try ZoneName("other")).count == 1)
    }

    @Test(.everyStore) func `an expired token is refused, and the answer says when`() throws {
        let server = try TestServer()
        let zones = ZonePattern(try ZoneName("test"))
        let past = try server.store.createToken(
            for: zones, role: .read, expires: 1_700_000_000_000)
        let answer = try status(server, "test", past.secret.text)
        #expect(answer.status == 401)
        #expect(answer.body.contains("2023-11-14T22:13:20Z"))
        let future = try server.store.createToken(
            for: zones, role: .read, expires: 4_000_000_000_000)
        #expect(try status(server, "test", future.secret.text).status == 200)
        #expect(future.token.expires == 4_000_000_000_000)
    }

    @Test(.everyStore) func `a copy keeps the pattern and the end of a token`() throws {
        let server = try TestServer()
        let made = try server.store.createToken(
            for: try ZonePattern("te*"), role: .write, expires: 4_000_000_000_000)
        let directory = try TemporaryDirectory("copy")
        let copy = try ZoneStore(try StoreLocation("sqlite:\(directory.path)"))
        defer { copy.close() }
        try server.store.copyZones(to: copy)
        let found = try #require(try copy.tokens.token(matching: made.secret.text))
        #expect(found.zones == made.token.zones)
        #expect(found.expires == 4_000_000_000_000)
    }

    @Test func `a file of tokens without ends is brought up to date`() throws {
        let directory = try TemporaryDirectory("tokens")
        let path = directory.file("tokens.sqlite")
        let secret = try #require(TokenSecret(bytes: [UInt8](repeating: 7, count: 32)))
        let connection = try Connection(path: path)
        try connection.execute(
            """
            CREATE TABLE token(
                number INTEGER PRIMARY KEY AUTOINCREMENT, prefix INTEGER NOT NULL,
                hash BLOB NOT NULL UNIQUE, zone TEXT NOT NULL, role TEXT NOT NULL,
                created INTEGER NOT NULL, used INTEGER, revoked INTEGER);
            CREATE INDEX token_prefix ON token(prefix);
            PRAGMA user_version = 1;
            """)
        try connection.run(
            "INSERT INTO token(prefix, hash, zone, role, created) VALUES (?, ?, 'a', 'read', 1)",
            .integer(Int64(bitPattern: secret.hash.prefix)), .blob(secret.hash.bytes))
        connection.close()
        let store = try SQLiteTokenStore(
            path: path, wallMilliseconds: { 0 },
            randomBytes: ServerEnvironment.system.randomBytes)
        defer { store.close() }
        let token = try #require(try store.token(matching: secret.text))
        #expect(token.zones == ZonePattern(try ZoneName("a")))
        #expect(token.expires == nil)
    }
}
