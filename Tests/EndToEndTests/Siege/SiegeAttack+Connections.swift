import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport

extension SiegeAttack {
    /// Attacks with connections that stay open.
    static let connections = [
        flood, idleWithToken, slowHeads, slowBodies, slowUploads, slowReaders, streams,
    ]

    private static let holdingMicroseconds: UInt32 = 1_000_000

    /// Opens connections, or as many as the daemon admits.
    private static func open(
        _ count: Int, _ target: SiegeTarget, _ generator: inout SeededGenerator,
        _ prepare: (LoopbackClient) -> Void = { _ in }
    ) -> [LoopbackClient] {
        var clients: [LoopbackClient] = []
        for _ in 0..<count / target.divisor {
            guard let client = try? target.connect(&generator) else { break }
            prepare(client)
            clients.append(client)
        }
        return clients
    }

    /// Sends a byte from time to time on each connection.
    private static func trickle(_ clients: [LoopbackClient], seconds: Int) {
        for _ in 0..<seconds * 4 {
            for client in clients { client.send([0x61]) }
            usleep(250_000)
        }
    }

    private static func head(length: Int, token: String?) -> [UInt8] {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return Array(
            """
            POST \(SiegeTarget.path("push")) HTTP/1.1\r
            Host: localhost\r
            Content-Type: \(SyncProtocol.mediaType)\r
            Content-Length: \(length)\r
            \(authorization)\r\n
            """.utf8)
    }

    static let flood = SiegeAttack(name: "connections that send nothing") { target, generator in
        let clients = open(200, target, &generator)
        usleep(holdingMicroseconds)
        withExtendedLifetime(clients) {}
    }

    static let idleWithToken = SiegeAttack(name: "idle connections with a token") {
        target, generator in
        let clients = open(60, target, &generator) {
            $0.get(SiegeTarget.path("hash"), token: target.writer, closing: false)
        }
        usleep(holdingMicroseconds)
        withExtendedLifetime(clients) {}
    }

    static let slowHeads = SiegeAttack(name: "heads that arrive slowly") { target, generator in
        let clients = open(60, target, &generator) {
            $0.send("GET /v1/health HTTP/1.1\r\nX: ".utf8)
        }
        trickle(clients, seconds: 2)
    }

    static let slowBodies = SiegeAttack(name: "slow bodies without a token") { target, generator in
        let clients = open(60, target, &generator) {
            $0.send(head(length: 60 << 20, token: nil))
        }
        trickle(clients, seconds: 2)
    }

    static let slowUploads = SiegeAttack(name: "slow uploads with a token") { target, generator in
        let clients = open(20, target, &generator) {
            $0.send(
                head(length: 60 << 20, token: target.writer) + [UInt8](repeating: 1, count: 16_384))
        }
        trickle(clients, seconds: 3)
    }

    static let slowReaders = SiegeAttack(name: "answers that are not read") { target, generator in
        let pull = PullRequest(cursor: nil, byteLimit: 12 << 20).encoded()
        let clients = open(30, target, &generator) {
            $0.post(SiegeTarget.path("pull"), pull, token: target.writer)
        }
        usleep(holdingMicroseconds)
        withExtendedLifetime(clients) {}
    }

    static let streams = SiegeAttack(name: "event streams of one token") { target, generator in
        let page = SiegeTarget.path("events", of: DaemonUnderTest.zone)
        let clients = open(150, target, &generator) {
            $0.get(page, token: target.reader, closing: false)
        }
        usleep(holdingMicroseconds)
        withExtendedLifetime(clients) {}
    }
}
