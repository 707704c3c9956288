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

    /// Opens connections.
    ///
    /// - Throws: The error of the first one that can't be opened.
    private static func open(
        _ count: Int, _ target: SiegeTarget, _ generator: inout SeededGenerator,
        _ prepare: (LoopbackClient) -> Void = { _ in }
    ) throws -> [LoopbackClient] {
        try (0..<count / target.divisor).map { _ in
            let client = try target.connect(&generator)
            prepare(client)
            return client
        }
    }

    /// Sends a byte from time to time on each connection.
    ///
    /// - Throws: ``SiegeTarget/Unexpected`` if the daemon has ended all of them early.
    private static func trickle(_ clients: [LoopbackClient], seconds: Int) throws {
        var open = clients
        for _ in 0..<seconds * 4 {
            open = open.filter { $0.send([0x61]) }
            usleep(250_000)
        }
        if open.isEmpty { throw SiegeTarget.Unexpected("an end", to: "every connection") }
    }

    /// Waits for one answer with the status 200.
    ///
    /// - Throws: ``SiegeTarget/Unexpected`` with the last status if there is none.
    private static func expectAnswer(_ clients: [LoopbackClient], to page: String) throws {
        var last: Int?
        for client in clients {
            last = client.status()
            if last == 200 { return }
        }
        throw SiegeTarget.Unexpected(last, to: page)
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
        let clients = try open(200, target, &generator)
        usleep(holdingMicroseconds)
        withExtendedLifetime(clients) {}
    }

    static let idleWithToken = SiegeAttack(name: "idle connections with a token") {
        target, generator in
        let clients = try open(60, target, &generator) {
            $0.get(SiegeTarget.path("hash"), token: target.writer, closing: false)
        }
        usleep(holdingMicroseconds)
        try expectAnswer(clients, to: "hash")
    }

    static let slowHeads = SiegeAttack(name: "heads that arrive slowly") { target, generator in
        let clients = try open(60, target, &generator) {
            $0.send("GET /v1/health HTTP/1.1\r\nX: ".utf8)
        }
        try trickle(clients, seconds: 2)
    }

    static let slowBodies = SiegeAttack(name: "slow bodies without a token") { target, generator in
        let clients = try open(60, target, &generator) {
            $0.send(head(length: 60 << 20, token: nil))
        }
        try trickle(clients, seconds: 2)
    }

    static let slowUploads = SiegeAttack(name: "slow uploads with a token") { target, generator in
        let clients = try open(20, target, &generator) {
            $0.send(
                head(length: 60 << 20, token: target.writer) + [UInt8](repeating: 1, count: 16_384))
        }
        try trickle(clients, seconds: 3)
    }

    static let slowReaders = SiegeAttack(name: "answers that are not read") { target, generator in
        let pull = PullRequest(cursor: nil, byteLimit: 12 << 20).encoded()
        let clients = try open(30, target, &generator) {
            $0.post(SiegeTarget.path("pull"), pull, token: target.writer)
        }
        usleep(holdingMicroseconds)
        try expectAnswer(clients, to: "pull")
    }

    static let streams = SiegeAttack(name: "event streams of one token") { target, generator in
        let page = SiegeTarget.path("events", of: DaemonUnderTest.zone)
        let clients = try open(150, target, &generator) {
            $0.get(page, token: target.reader, closing: false)
        }
        usleep(holdingMicroseconds)
        try expectAnswer(clients, to: "events")
    }
}
