import AnabranchProtocol
import AnabranchReplication
import Foundation
import Testing

@testable import AnabranchServer

/// What the server does before it knows the right of a client, and with answers that are not read.
@Suite(.everyStore) struct AdmissionTests {
    private static let path = "/v1/zones/test/push"

    private func refusal(
        _ server: TestServer, _ body: [UInt8], _ headers: [String]
    ) throws -> (response: RawResponse, isClosed: Bool) {
        let client = try RawClient(port: server.port)
        client.send(server.head("POST", Self.path, role: nil, body: body.count, extra: headers))
        client.send(body)
        let response = try client.receiveResponse()
        let isLarge = body.count > HTTPServerOptions.unadmittedBytes
        return (response, client.isClosedWithin(milliseconds: isLarge ? 10_000 : 50))
    }

    @Test(arguments: [100, 16 << 10, (16 << 10) + 1, 3 << 20])
    func `a body of a client without a right is discarded`(byteCount: Int) throws {
        let server = try TestServer { $0.http.bufferedBytes = 8 << 20 }
        let body = [UInt8](repeating: 0, count: byteCount)
        for headers in [[], ["Authorization: Bearer anabranch_unknown"]] {
            let (response, isClosed) = try refusal(server, body, headers)
            #expect(response.status == 401 && response.code == "unauthorized")
            #expect(isClosed == (byteCount > 16 << 10))
        }
        // Its memory is free again.
        for _ in 0..<4 { _ = try refusal(server, [UInt8](repeating: 0, count: 4 << 20), []) }
        #expect(try server.post(Self.path, server.largePush(byteCount: 1 << 20)).status == 200)
    }

    @Test func `announced bodies of clients without a right take no memory`() throws {
        let server = try TestServer { $0.http.bufferedBytes = 8 << 20 }
        let clients = try (0..<16).map { _ in try RawClient(port: server.port) }
        for client in clients {
            client.send(server.head("POST", Self.path, role: nil, body: 8 << 20))
            client.send([UInt8](repeating: 0, count: 100))
        }
        #expect(try server.post(Self.path, server.largePush(byteCount: 1 << 20)).status == 200)
        withExtendedLifetime(clients) {}
    }

    @Test func `a reader may not push a large body`() throws {
        let server = try TestServer()
        let response = try server.post(
            Self.path, [UInt8](repeating: 0, count: 1 << 20), role: .read)
        #expect(response.status == 403)
        #expect(try server.hello().headPosition == 0)
    }

    @Test func `many unknown clients with large bodies at once get their refusals`() throws {
        let server = try TestServer()
        let clients = try (0..<40).map { _ in try RawClient(port: server.port) }
        let body = [UInt8](repeating: 1, count: 200_000)
        for client in clients {
            client.send(server.head("POST", Self.path, role: nil, body: body.count))
            client.send(body)
        }
        for client in clients { #expect(try client.receiveResponse().status == 401) }
        #expect(try server.hello().headPosition == 0)
    }

    private static let pull = PullRequest(cursor: nil, byteLimit: 8 << 20).encoded()

    /// Clients that do not read their answers, of 12 MB each.
    private func unreadAnswers(_ count: Int, of server: TestServer) throws -> [RawClient] {
        #expect(try server.post(Self.path, server.largePush(byteCount: 12 << 20)).status == 200)
        return try (0..<count).map { _ in
            // The kernel buffers some megabytes of each answer.
            let client = try RawClient(port: server.port)
            client.send(
                server.head("POST", "/v1/zones/test/pull", role: .read, body: Self.pull.count))
            client.send(Self.pull)
            #expect(!client.receive(until: "HTTP/1.1 ").bytes.isEmpty)
            return client
        }
    }

    /// Repeats a request until there is memory for it.
    private func expectServed(_ request: () throws -> RawResponse) throws {
        for _ in 0..<100 {
            if try request().status == 200 { return }
            usleep(20_000)
        }
        Issue.record("other clients keep the memory")
    }

    @Test func `answers that are not read give way when others need memory`() throws {
        let server = try TestServer {
            $0.http.bufferedBytes = 40 << 20
            $0.http.heldSeconds = 0
        }
        let idle = try unreadAnswers(3, of: server)
        try expectServed { try server.post("/v1/zones/test/pull", Self.pull, role: .read) }
        withExtendedLifetime(idle) {}
    }

    @Test func `bodies of clients without a right give way when others need memory`() throws {
        let server = try TestServer {
            $0.http.bufferedBytes = 256 << 10
            $0.http.heldSeconds = 0
        }
        let idle = try (0..<16).map { _ in try RawClient(port: server.port) }
        for client in idle {
            client.send(server.head("POST", Self.path, role: nil, body: 100_000))
            client.send([UInt8](repeating: 0, count: 12_000))
        }
        usleep(200_000)
        let body = HelloRequest(
            replica: ReplicaID(high: 1, low: 1), last: nil, cursor: nil, wallMilliseconds: 0
        ).encoded()
        try expectServed { try server.post("/v1/zones/test/hello", body) }
        withExtendedLifetime(idle) {}
    }

    @Test func `answers that are not read take memory until their clients leave`() throws {
        let server = try TestServer {
            $0.http.bufferedBytes = 40 << 20
            $0.http.heldSeconds = 600
        }
        var idle = try unreadAnswers(3, of: server)
        let pull = Self.pull
        let late = try server.post("/v1/zones/test/pull", pull, role: .read)
        #expect(late.status == 503 && late.headers["retry-after"] != nil)
        // Answers without content are given all the same.
        #expect(try server.hello().headPosition == 1)
        #expect(idle.count == 3)
        idle = []
        for _ in 0..<600 {
            if try server.post("/v1/zones/test/pull", pull, role: .read).status == 200 { return }
            usleep(50_000)
        }
        Issue.record("the memory of clients that have left is not free again")
    }
}
