import AnabranchProtocol
import AnabranchReplication
import CZstd
import Foundation
import Testing

@testable import AnabranchServer

@Suite(.everyStore) struct RouteTests {
    @Test func `a push comes back by a pull, byte for byte`() throws {
        let server = try TestServer()
        var author = TestAuthor(1)
        let sets = (0..<3).map { _ in author.insertPerson().0 }
        let pushed = try server.push(sets)
        #expect(pushed.acknowledgements.map(\.position) == [1, 2, 3])
        let response = try server.post(
            "/v1/zones/test/pull", PullRequest(cursor: nil, byteLimit: 1 << 20).encoded(),
            role: .read)
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == SyncProtocol.mediaType)
        let page = try PullResponse(decoding: response.body)
        #expect(page.changeSets == sets.map { $0.encoded() })
    }

    @Test func `the hash of a zone is that of its service`() throws {
        let server = try TestServer()
        var author = TestAuthor(1)
        _ = try server.push([author.insertPerson().0])
        struct Page: Decodable {
            var hash: String
            var position: Int
            var epoch: String
        }
        let response = try server.get("/v1/zones/test/hash")
        let page = try JSONDecoder().decode(Page.self, from: Data(response.body))
        let expected = try server.store.withZone(try ZoneName("test")) {
            try $0.canonicalHash()
        }
        #expect(page.hash == expected.hash.description)
        #expect(page.position == 1)
        #expect(page.epoch == expected.head.epoch.description)
    }

    @Test func `information about a zone is JSON`() throws {
        let server = try TestServer()
        struct Page: Decodable {
            var zone: String
            var position: Int
            var records: Int
        }
        let response = try server.get("/v1/zones/test")
        #expect(response.status == 200)
        let page = try JSONDecoder().decode(Page.self, from: Data(response.body))
        #expect(page.zone == "test")
        #expect(page.records == 0)
    }

    @Test func `a request without a token, or with a wrong one, gets 401`() throws {
        let server = try TestServer()
        let none = try server.get("/v1/zones/test", role: nil)
        #expect(none.status == 401)
        #expect(none.code == "unauthorized")
        #expect(none.headers["www-authenticate"] == "Bearer")
        for field in ["Bearer abt_wrong", "Basic YTpi", "Bearer", "Bearer a b"] {
            let wrong = try server.get(
                "/v1/zones/test", role: nil, extra: ["Authorization: \(field)"])
            #expect(wrong.status == 401)
        }
    }

    @Test func `a token of another zone or too small a role gets 403`() throws {
        let server = try TestServer()
        let other = try server.get(
            "/v1/zones/test", role: nil, extra: ["Authorization: Bearer \(server.otherZoneToken)"])
        #expect(other.status == 403)
        let push = PushRequest(epoch: try server.hello().epoch, changeSets: []).encoded()
        let read = try server.post("/v1/zones/test/push", push, role: .read)
        #expect(read.status == 403)
        #expect(read.code == "forbidden")
        #expect(try server.post("/v1/zones/test/push", push, role: .write).status == 200)
        #expect(try server.post("/v1/zones/test/push", push, role: .admin).status == 200)
    }

    @Test func `a token of a zone that does not exist reveals nothing about other zones`() throws {
        let server = try TestServer()
        #expect(try server.get("/v1/zones/nowhere").status == 403)
        #expect(try server.get("/v1/zones/nowhere", role: nil).status == 401)
    }

    @Test func `a revoked token is refused from the next request on`() throws {
        let server = try TestServer()
        #expect(try server.get("/v1/zones/test").status == 200)
        let token = try #require(
            try server.store.tokens.tokens(zone: nil).first { $0.role == .read })
        _ = try server.store.tokens.revoke(token.number)
        #expect(try server.get("/v1/zones/test").status == 401)
    }

    @Test(arguments: [
        "/", "/v1", "/v2/health", "/v1/zones", "/v1/zones/test/", "/v1/zones/test/x",
        "/v1/zones/test/pull/x", "//v1/health", "/v1/health/",
    ])
    func `an unknown path gets 404`(path: String) throws {
        let server = try TestServer()
        let response = try server.get(path)
        #expect(response.status == 404)
        #expect(response.code == "not-found")
    }

    @Test func `a name that no zone can have gets 400`() throws {
        let server = try TestServer()
        #expect(try server.get("/v1/zones/NO").code == "malformed-request")
        #expect(try server.get("/v1/zones/..").code == "malformed-request")
    }

    @Test(arguments: [
        ("POST", "/v1/health"), ("GET", "/v1/zones/test/push"),
        ("DELETE", "/v1/zones/test"), ("PUT", "/v1/zones/test/pull"),
        ("HEAD", "/v1/zones/test/pull"), ("HEAD", "/v1/zones/test/events"),
    ])
    func `a wrong method gets 405 and the right one`(method: String, path: String) throws {
        let server = try TestServer()
        let client = try RawClient(port: server.port)
        client.send(server.head(method, path))
        let response = try #require(client.receiveHead())
        #expect(response.status == 405)
        let isMessage = path.hasSuffix("pull") || path.hasSuffix("push")
        #expect(
            response.headers["allow"]
                == (isMessage ? "POST" : path.hasSuffix("events") ? "GET" : "GET, HEAD"))
    }

    @Test(arguments: ["/v1/health", "/v1/zones/test", "/v1/zones/test/hash"])
    func `HEAD is answered as GET, without the body`(path: String) throws {
        let server = try TestServer()
        let get = try server.get(path)
        let client = try RawClient(port: server.port)
        client.send(server.head("HEAD", path))
        let head = try #require(client.receiveHead())
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == "\(get.body.count)")
        #expect(head.headers["content-type"] == get.headers["content-type"])
        // No byte comes between this answer and the next.
        client.send(server.head("GET", "/v1/health"))
        let next = try client.receiveResponse()
        #expect(next.status == 200 && next.text == #"{"status":"ok"}"#)
    }

    @Test func `a body of another type or encoding gets 415`() throws {
        let server = try TestServer()
        let client = try RawClient(port: server.port)
        client.send(
            server.head(
                "POST", "/v1/zones/test/pull",
                extra: ["Content-Type: application/json", "Content-Length: 2"]) + "{}")
        #expect(try client.receiveResponse().status == 415)
        let gzip = try server.post(
            "/v1/zones/test/pull", [1, 2], extra: ["Content-Encoding: gzip"])
        #expect(gzip.status == 415)
    }

    @Test func `a body that is not a message gets 400 with the offset`() throws {
        let server = try TestServer()
        let response = try server.post("/v1/zones/test/pull", [1, 9])
        #expect(response.status == 400)
        #expect(response.text.contains("offset"))
        let version = try server.post("/v1/zones/test/pull", [9, 0, 0, 0, 0, 0])
        #expect(version.status == 426)
    }

    @Test func `an unknown cursor gets 409`() throws {
        let server = try TestServer()
        let cursor = LogCursor(startOf: EpochID(high: 4, low: 4))
        let response = try server.post(
            "/v1/zones/test/pull", PullRequest(cursor: cursor, byteLimit: 1).encoded())
        #expect(response.status == 409)
        #expect(response.code == "unknown-cursor")
    }

    @Test func `each request is one line of JSON, without the token`() throws {
        let server = try TestServer()
        _ = try server.hello()
        let line = try #require(server.log.waitFor("/v1/zones/test/hello"))
        struct Line: Decodable {
            var level, method, path, zone, replica: String
            var status, received, sent, token: Int
            var milliseconds: Double
        }
        let decoded = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        #expect(decoded.status == 200)
        #expect(decoded.zone == "test")
        #expect(decoded.replica == ReplicaID(high: 1, low: 1).description)
        _ = try server.get("/v1/zones/test", role: nil)
        let refused = try #require(server.log.waitFor("\"status\":401"))
        #expect(refused.contains("\"error\":\"unauthorized\""))
        for line in server.log.all {
            for token in server.tokens.values { #expect(!line.contains(token.dropFirst(4))) }
        }
    }

    @Test func `hello tells quotas to clients that say that they read them`() throws {
        let server = try TestServer { $0.zones.quotas[.records] = .most(7) }
        #expect(try server.hello().quotas == [])
        let request = HelloRequest(
            replica: ReplicaID(high: 1, low: 1), last: nil, cursor: nil, wallMilliseconds: 0)
        let answer = try server.post(
            "/v1/zones/test/hello", request.encoded(),
            extra: ["Accept: \(SyncProtocol.mediaType); \(SyncProtocol.namedFields)"])
        let quotas = try HelloResponse(decoding: answer.body).quotas
        #expect(quotas == [QuotaUse(name: "records", limit: 7, used: 0)])
        let shown = try server.get("/v1/zones/test").text
        #expect(shown.contains("\"quotas\":[{\"limit\":7,\"quota\":\"records\",\"used\":0}]"))
    }

    @Test func `a token that may only read lets the log keep nothing`() throws {
        let server = try TestServer()
        var author = TestAuthor(1)
        _ = try server.push([author.insertPerson().0])
        let pulled = try PullResponse(
            decoding: try server.post(
                "/v1/zones/test/pull", PullRequest(cursor: nil, byteLimit: 1000).encoded(),
                role: .read
            ).body)
        let hello = HelloRequest(
            replica: author.replica, last: nil, cursor: pulled.cursor, wallMilliseconds: 0)
        for (role, replicas) in [(TokenRole.read, []), (.write, [author.replica])] {
            #expect(
                try server.post("/v1/zones/test/hello", hello.encoded(), role: role).status == 200)
            // The positions that wait are written with a push.
            _ = try server.push([author.insertPerson().0])
            let held = try server.store.withZone(ZoneName("test")) { zone in
                try zone.storage.read { try $0.acknowledgements() }
            }
            #expect(Array(held.keys) == replicas)
        }
    }
}
