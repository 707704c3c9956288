import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization
import Testing

@testable import AnabranchServer

@Suite(.everyStore) struct EventTests {
    private func listen(_ server: TestServer) throws -> RawClient {
        let client = try RawClient(port: server.port)
        client.send(server.head("GET", "/v1/zones/test/events", role: .read))
        let (bytes, _) = client.receive(until: "\"position\":")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("Content-Type: text/event-stream"))
        #expect(text.contains("Cache-Control: no-cache, no-transform"))
        #expect(text.contains("X-Accel-Buffering: no\r\n"))
        #expect(text.contains("event: head\ndata: {\"epoch\":\""))
        return client
    }

    @Test func `a stream begins with the head and is poked by a push`() throws {
        let server = try TestServer()
        let client = try listen(server)
        var author = TestAuthor(1)
        _ = try server.push([author.insertPerson().0])
        let (bytes, _) = client.receive(until: "\"position\":1}")
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"position\":1}\n\n"))
    }

    @Test func `no answer may be kept by a cache or changed by a proxy`() throws {
        let server = try TestServer()
        let pull = PullRequest(cursor: nil, byteLimit: 1000).encoded()
        let answers = [
            try server.get("/v1/health", role: nil), try server.get("/v1/ready", role: nil),
            try server.get("/v1/zones/test"), try server.get("/v1/zones/test/hash"),
            try server.get("/v1/nothing"), try server.get("/v1/zones/test", role: nil),
            try server.post("/v1/zones/test/pull", pull), try server.post("/v1/health", pull),
        ]
        for answer in answers {
            let control = try #require(answer.headers["cache-control"], "\(answer.status)")
            #expect(control == "no-cache, no-transform, no-store")
        }
    }

    @Test func `a stream on which nothing happens shows that it lives`() throws {
        let server = try TestServer { $0.heartbeat = .milliseconds(100) }
        let client = try listen(server)
        let (bytes, isClosed) = client.receive(until: ":\n\n")
        #expect(!isClosed)
        #expect(String(decoding: bytes, as: UTF8.self).contains(":\n\n"))
    }

    @Test func `a stop ends open streams, and soon`() throws {
        let server = try TestServer()
        let clients = try (0..<50).map { _ in try listen(server) }
        let time = ContinuousClock().measure { server.stop() }
        #expect(time < .seconds(30))
        for client in clients { #expect(client.receive().isClosed) }
    }

    /// The library's threads use the listening socket until they have ended.
    @Test func `servers that stop while clients come stay in one piece`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<12 {
                        let server = try TestServer()
                        let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
                        server.stop()
                        withExtendedLifetime(clients) {}
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a listener that went away is forgotten before the next heartbeat`() throws {
        let server = try TestServer { $0.heartbeat = .seconds(3600) }
        do { _ = try listen(server) }
        #expect(server.log.waitFor("/v1/zones/test/events") != nil)
    }

    @Test func `listeners that leave before their answer are forgotten`() throws {
        let server = try TestServer {
            $0.http.workers = 1
            $0.heartbeat = .milliseconds(50)
            $0.metrics = HTTPServerOptions()
        }
        for _ in 0..<20 {
            let clients = try (0..<50).map { _ in try RawClient(port: server.port) }
            for client in clients {
                client.resetAtEnd()
                client.send(server.head("GET", "/v1/zones/test/events", role: .read))
            }
        }
        let port = try #require(server.metricsPort)
        for _ in 0..<600 {
            let client = try RawClient(port: port)
            client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            let metrics = try client.receiveResponse().text
            if metrics.contains("anabranch_event_streams 0\n") { return }
            usleep(50_000)
        }
        Issue.record("streams without a client are still counted")
    }

    /// The newest head is never lost, whatever the connection threads do besides.
    @Test func `listeners all see the last push during concurrent pulls`() throws {
        let server = try TestServer()
        let listeners = try (0..<40).map { _ in try listen(server) }
        let port = server.port
        let body = PullRequest(cursor: nil, byteLimit: 1000).encoded()
        let pull =
            Array(
                server.head("POST", "/v1/zones/test/pull", role: .read, body: body.count).utf8)
            + body
        let isDone = Mutex(false)
        let pulls = Mutex(0)
        let group = startThreads(3) { _ in
            while !isDone.withLock({ $0 }) {
                guard let client = try? RawClient(port: port) else { continue }
                for _ in 0..<20 {
                    client.send(pull)
                    guard let response = try? client.receiveResponse(), response.status == 200
                    else { break }
                    pulls.withLock { $0 += 1 }
                }
            }
        }
        var author = TestAuthor(1)
        let count = 60
        for _ in 0..<count { _ = try server.push([author.insertPerson().0]) }
        for listener in listeners {
            let (bytes, _) = listener.receive(until: "\"position\":\(count)}")
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("\"position\":\(count)}"))
        }
        isDone.withLock { $0 = true }
        group.wait()
        #expect(pulls.withLock { $0 } > 0)
    }

    @Test func `a stream keeps one event for a reader that is slow`() {
        let stream = EventStream()
        for number in 0..<1000 { stream.post(Array("\(number)".utf8)) }
        var buffer = [UInt8](repeating: 0, count: 100)
        let taken = buffer.withUnsafeMutableBytes { stream.take(into: $0, park: {}) }
        guard case .bytes(let count) = taken else {
            Issue.record("nothing was taken")
            return
        }
        #expect(String(decoding: buffer[..<count], as: UTF8.self) == "999")
    }
}
