import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization
import Testing

@testable import AnabranchServer

/// Tests of the memory that request bodies reserve while they arrive.
@Suite(.everyStore) struct UploadMemoryTests {
    private static let path = "/v1/zones/test/push"

    /// Clients that announce a mebibyte each for the zone `test`, and send only some of it.
    private func uploads(_ count: Int, sending sent: Int, to server: TestServer) throws
        -> [RawClient]
    {
        let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
        for client in clients {
            client.send(server.head("POST", Self.path, body: 1 << 20))
            client.send([UInt8](repeating: 0, count: sent))
        }
        // The server has read what was sent, and a reservation for it exists.
        usleep(500_000)
        return clients
    }

    @Test func `announced bodies of clients with a right take only what has arrived`() throws {
        let server = try TestServer { $0.http.bufferedBytes = 8 << 20 }
        let clients = try uploads(16, sending: 20_000, to: server)
        #expect(try server.post(Self.path, server.largePush(byteCount: 1 << 20)).status == 200)
        withExtendedLifetime(clients) {}
    }

    @Test func `all forms of one token's header count for one client`() {
        func client(_ value: String?) -> Int {
            AccessControl.client(
                of: HTTPRequestHead(
                    method: "POST", path: Self.path,
                    headers: HTTPHeaders(value.map { [("Authorization", $0)] } ?? [])))
        }
        let forms = ["Bearer abt_1", "bearer abt_1", "BEARER  abt_1", "Bearer abt_1 "]
        #expect(Set(forms.map(client)).count == 1)
        #expect(Set(["Bearer abt_1", "Bearer abt_2", nil].map(client)).count == 3)
    }

    @Test func `bodies for one zone leave memory to the other zones`() throws {
        let server = try TestServer { $0.http.bufferedBytes = 8 << 20 }
        let body = try server.largePush(byteCount: 1 << 20)
        let clients = try uploads(10, sending: 1_000_000, to: server)
        #expect(try server.post(Self.path, body).status == 503)
        let other = try RawClient(port: server.port)
        other.send(
            server.head(
                "POST", "/v1/zones/other/push", role: nil, body: body.count,
                extra: ["Authorization: Bearer \(server.otherZoneToken)"]))
        other.send(body)
        // The other zone has another epoch, which it can say only after it has read the body.
        #expect(try other.receiveResponse().code == "unknown-epoch")
        withExtendedLifetime(clients) {}
    }

    // MARK: - The time of a body

    /// A client with a right. A part of its body has arrived.
    private func begun(
        _ body: [UInt8], sending sent: Int, to server: TestServer
    ) throws -> RawClient {
        let client = try RawClient(port: server.port)
        client.send(server.head("POST", Self.path, body: body.count))
        client.send(Array(body.prefix(sent)))
        for _ in 0..<6_000 where server.budget.available == server.budget.byteCount {
            usleep(10_000)
        }
        #expect(server.budget.available < server.budget.byteCount, "nothing has arrived")
        return client
    }

    // libmicrohttpd takes no answer within a body, so the client gets the end of its connection.
    @Test(
        arguments: [
            (leastRate: 4096, sent: 1000, seconds: 20, cause: "its body arrived too slowly"),
            (leastRate: 4096, sent: 100_000, seconds: 20, cause: "its body arrived too slowly"),
            (leastRate: 0, sent: 100_000, seconds: 301, cause: "its body took too long"),
        ])
    func `a body that comes too slowly costs the connection, and its memory is given back`(
        leastRate: Int, sent: Int, seconds: Int, cause: String
    ) throws {
        let passed = Mutex(Duration.zero)
        let server = try TestServer {
            $0.http.leastBodyRate = leastRate
            $0.http.now = { .now + passed.withLock { $0 } }
        }
        let body = [UInt8](repeating: 0, count: 1 << 20)
        let client = try begun(body, sending: sent, to: server)
        var isClosed = false
        // The time may pass before the right of the client is known, from which on it counts anew.
        for _ in 0..<100 where !isClosed {
            passed.withLock { $0 += .seconds(seconds) }
            client.send("a")
            isClosed = client.isClosedWithin(milliseconds: 300)
        }
        #expect(isClosed)
        let line = try #require(server.log.waitFor(cause))
        #expect(line.contains(#""status":0"#) && line.contains(#""cutOff":true"#), "\(line)")
        #expect(server.budget.available == server.budget.byteCount)
        #expect(try server.get("/v1/zones/test").status == 200)
    }

    @Test func `a body that comes fast enough may take its time`() throws {
        let passed = Mutex(Duration.zero)
        let server = try TestServer {
            $0.http.leastBodyRate = 1
            $0.http.now = { .now + passed.withLock { $0 } }
        }
        let body = try server.largePush(byteCount: 400_000)
        let client = try begun(body, sending: 100_000, to: server)
        passed.withLock { $0 += .seconds(60) }
        client.send(Array(body.dropFirst(100_000)))
        #expect(try client.receiveResponse().status == 200)
        #expect(server.budget.available == server.budget.byteCount)
    }
}
