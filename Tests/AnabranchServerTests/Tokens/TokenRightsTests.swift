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
}
