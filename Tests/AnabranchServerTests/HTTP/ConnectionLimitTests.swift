import Foundation
import Testing

@testable import AnabranchServer

/// Limits of what clients without a right, and those with one, may keep open.
@Suite(.everyStore) struct ConnectionLimitTests {
    private static let push = "/v1/zones/test/push"

    @Test func `a body of a client without a right has little time`() throws {
        let server = try TestServer { $0.http.headerSeconds = 1 }
        let client = try RawClient(port: server.port)
        client.send(server.head("POST", Self.push, role: nil, body: 1000))
        var isClosed = false
        for _ in 0..<100 where !isClosed {
            client.send("a")
            isClosed = client.isClosedWithin(milliseconds: 300)
        }
        #expect(isClosed)
    }

    @Test func `a large body of a client with a right may take longer`() throws {
        let server = try TestServer { $0.http.headerSeconds = 1 }
        let client = try RawClient(port: server.port)
        let size = 40_000
        client.send(server.head("POST", Self.push, role: .write, body: size))
        client.send([UInt8](repeating: 0, count: 20_000))
        // The right is known after 16 KiB; this is longer than the deadline of the headers.
        #expect(!client.isClosedWithin(milliseconds: 4_000))
        client.send([UInt8](repeating: 0, count: 20_000))
        #expect(try client.receiveResponse().status < 500)
    }

    @Test func `connections that wait make room for those that ask`() throws {
        let server = try TestServer { $0.http.connections = 100 }
        let slow = try (0..<300).map { number in
            let client = try RawClient(port: server.port)
            if number % 2 == 0 {
                client.send(server.head("POST", Self.push, role: nil, body: 1000))
            }
            return client
        }
        #expect(try server.get("/v1/zones/test/hash").status == 200)
        withExtendedLifetime(slow) {}
    }

    @Test func `streams of one token and of one zone are limited`() throws {
        let server = try TestServer {
            $0.streams.perToken = 3
            $0.streams.perZone = 4
        }
        func listen(_ role: TokenRole) throws -> RawClient {
            let client = try RawClient(port: server.port)
            client.send(server.head("GET", "/v1/zones/test/events", role: role))
            return client
        }
        func expectStream(_ client: RawClient) {
            let text = String(decoding: client.receive(until: "event: head").bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200"))
        }
        func expectRefusal(_ client: RawClient, by limit: String) throws {
            let answer = try client.receiveResponse()
            #expect(answer.status == 429 && answer.code == "too-many-requests")
            #expect(answer.headers["retry-after"] == "60")
            #expect(answer.text.contains(limit))
        }
        var open = try (0..<3).map { _ in try listen(.read) }
        open.forEach(expectStream)
        try expectRefusal(try listen(.read), by: "streams-per-token")
        open.append(try listen(.write))
        expectStream(open[3])
        try expectRefusal(try listen(.write), by: "streams-per-zone")
        #expect(try server.get("/v1/zones/test/hash").status == 200)
        withExtendedLifetime(open) {}
    }

    @Test func `the streams of all zones leave connections to other requests`() throws {
        let server = try TestServer { $0.http.connections = 10 }
        let tokens = [server.otherZoneToken, server.tokens[.read], server.tokens[.write]]
        let zones = ["other", "test", "test"]
        var statuses: [Int?] = []
        var open: [RawClient] = []
        for number in 0..<12 {
            let client = try RawClient(port: server.port)
            let token = tokens[number % 3] ?? ""
            client.send(
                server.head(
                    "GET", "/v1/zones/\(zones[number % 3])/events", role: nil,
                    extra: ["Authorization: Bearer \(token)"]))
            statuses.append(client.receiveHead()?.status)
            if statuses.last == 200 { open.append(client) }
        }
        #expect(open.count == 8 && statuses.suffix(4) == [429, 429, 429, 429])
        #expect(try server.get("/v1/zones/test/hash").status == 200)
        withExtendedLifetime(open) {}
    }

    @Test func `the clients of a proxy have limits of their own`() throws {
        let server = try TestServer {
            $0.http.connectionsPerAddress = 2
            $0.http.proxies = TrustedProxies(["127.0.0.1"])
        }
        func listen(from address: String) throws -> (client: RawClient, status: Int?) {
            let client = try RawClient(port: server.port)
            client.send(
                server.head(
                    "GET", "/v1/zones/test/events", role: .read,
                    extra: ["X-Forwarded-For: \(address)"]))
            return (client, client.receiveHead()?.status)
        }
        // The addresses of one IPv6 network are one client.
        let first = try (1...2).map { try listen(from: "[2001:db8::\($0)]:80") }
        #expect(first.map(\.status) == [200, 200])
        #expect(try listen(from: "2001:db8::3").status == 429)
        let others = try (1...3).map { try listen(from: "192.0.2.\($0):443") }
        #expect(others.map(\.status) == [200, 200, 200])
        withExtendedLifetime((first, others)) {}
    }

    @Test func `connections of one address that are too many are ended`() throws {
        let server = try TestServer { $0.http.connectionsPerAddress = 2 }
        let held = try (0..<2).map { _ in try RawClient(port: server.port) }
        for client in held {
            client.send("GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receiveResponse().status == 200)
        }
        let third = try RawClient(port: server.port)
        third.send("GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(third.receive().isClosed)
        withExtendedLifetime(held) {}
    }

    @Test func `an address counts again after its connections have ended`() {
        let counts = AddressCounts(limit: 2)
        #expect(counts.begin(1, from: "2001:db8::1") && counts.begin(2, from: "2001:db8::2"))
        #expect(!counts.begin(3, from: "2001:db8::3") && counts.begin(3, from: "2001:db8:0:1::3"))
        counts.end(2)
        counts.end(2)
        #expect(counts.begin(4, from: "2001:db8::4") && !counts.begin(5, from: "2001:db8::5"))
        #expect(counts.begin(6, from: ""))
    }

    @Test func `a server that has become quiet says so`() throws {
        let isQuiet = DispatchSemaphore(value: 0)
        let server = try TestServer { $0.http.whenFreed = { isQuiet.signal() } }
        do {
            let client = try RawClient(port: server.port)
            client.send("GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receiveResponse().status == 200)
        }
        #expect(isQuiet.wait(timeout: .now() + 60) == .success)
    }
}
