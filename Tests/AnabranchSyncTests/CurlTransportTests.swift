import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of libcurl against the real server on a loopback port.
struct CurlTransportTests {
    private static func engine(
        _ store: Store, _ server: LoopbackServer, token: String? = nil,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> SyncEngine {
        var options = SyncOptions()
        options.retry.attempts = 2
        options.retry.firstDelay = .milliseconds(10)
        change(&options)
        let address = try ServerAddress(
            server: server.url, zone: "test", token: token ?? server.token,
            allowingPlainHTTP: false)
        return try SyncEngine(
            side: StoreExecutor(store), address: address,
            transport: CurlTransport(address, options: options), options: options)
    }

    @Test func `stores converge over HTTP, with bodies large enough to be compressed`()
        async throws
    {
        let server = try LoopbackServer()
        let scenario = try EngineScenario()
        let names = scenario.names
        let stores = try ["a", "b"].map { try scenario.open("\($0).db", clock: server.clock) }
        for person in 0..<300 { try stores[0].insert("person \(person)", names) }
        for store in stores {
            #expect(try await Self.engine(store, server).synchronize().isCaughtUp)
        }
        #expect(try stores[1].people(names).count == 300)
        #expect(try stores[0].canonicalHash() == stores[1].canonicalHash())
    }

    @Test func `a wrong token is reported and nothing is lost`() async throws {
        let server = try LoopbackServer()
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db", clock: server.clock)
        try store.insert("Ada", scenario.names)
        let engine = try Self.engine(store, server, token: "wrong")
        let error = await #expect(throws: SyncError.self) { try await engine.synchronize() }
        #expect(error?.code == .unauthorized)
        #expect(try store.pendingSaves().count == 1)
    }

    @Test func `a server that is not there is unreachable, soon`() async throws {
        let server = try LoopbackServer()
        server.stop()
        let scenario = try EngineScenario()
        let engine = try Self.engine(try scenario.open("a.db"), server)
        let error = await #expect(throws: SyncError.self) { try await engine.synchronize() }
        #expect(error?.code == .unreachable)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a server that never answers is given up, and a cancelled call ends`() async throws {
        let server = try SilentServer()
        let scenario = try EngineScenario()
        let address = try ServerAddress(
            server: server.url, zone: "test", token: nil, allowingPlainHTTP: false)
        var options = SyncOptions()
        options.requestTimeout = .milliseconds(200)
        let slow = try CurlTransport(address, options: options)
        let error = await #expect(throws: SyncError.self) {
            try await slow.send(.pull, body: [1])
        }
        #expect(error?.code == .timedOut)
        // The time-out is so long that only the cancellation can end the call within the test's
        // limit.
        options.requestTimeout = .seconds(86_400)
        let patient = try CurlTransport(address, options: options)
        let call = Task { try await patient.send(.pull, body: [1]) }
        try await Task.sleep(for: .milliseconds(100))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        _ = scenario
    }

    @Test func `a connection that is cut during a large request is explained by its size`()
        async throws
    {
        let server = try SilentServer(closingAfter: 200_000)
        let address = try ServerAddress(
            server: server.url, zone: "test", token: nil, allowingPlainHTTP: false)
        let transport = try CurlTransport(address)
        var generator = SeededGenerator(seed: 1)
        // More than the buffers of both ends, and nothing to compress.
        let body = (0..<2 << 20).map { _ in generator.next() }.withUnsafeBytes { [UInt8]($0) }
        let error = await #expect(throws: SyncError.self) {
            try await transport.send(.push, body: body)
        }
        #expect(error?.code == .unreachable)
        let message = error?.message ?? ""
        #expect(message.contains(" of the request's \(body.count) bytes were sent."), "\(message)")
        #expect(message.contains("have its limit of bodies raised"))
        #expect(!message.contains("https"), "the size is the reason, and not TLS")
    }

    @Test func `a response beyond the bound is refused`() async throws {
        let server = try LoopbackServer()
        let scenario = try EngineScenario()
        let names = scenario.names
        let store = try scenario.open("a.db", clock: server.clock)
        for person in 0..<200 { try store.insert("person \(person)", names) }
        try await Self.engine(store, server).synchronize()
        let other = try Self.engine(try scenario.open("b.db", clock: server.clock), server) {
            $0.largestResponse = 2_000
        }
        let error = await #expect(throws: SyncError.self) { try await other.synchronize() }
        #expect(error?.code == .responseTooLarge)
    }

    @Test func `the live loop follows the server's events`() async throws {
        let server = try LoopbackServer()
        let scenario = try EngineScenario()
        let names = scenario.names
        let stores = try ["a", "b"].map { try scenario.open("\($0).db", clock: server.clock) }
        let engines = try stores.map { try Self.engine($0, server) }
        for engine in engines { engine.start() }
        try stores[0].insert("Ada", names)
        try await SyncEngineTests.wait { try stores[1].people(names).count == 1 }
        try stores[1].insert("Bob", names)
        try await SyncEngineTests.wait { try stores[0].people(names).count == 2 }
        for engine in engines { await engine.stop() }
    }

    @Test(arguments: [
        ("ftp://host", SyncError.Code.invalidServer), ("host", .invalidServer),
        ("https://user:secret@host", .invalidServer), ("https://host?query", .invalidServer),
        ("http://host", .insecureServer), ("http://10.0.0.1:80", .insecureServer),
        ("http://localhost.example", .insecureServer),
    ])
    func `an address that would not do is refused`(
        _ text: String, as code: SyncError.Code
    ) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: SyncError.self) {
            try ServerAddress(server: url, zone: "a", token: "t", allowingPlainHTTP: false)
        }
        #expect(error?.code == code)
        #expect(error.map { !"\($0)".contains("secret") } ?? false)
    }

    @Test(arguments: ["a\r\nX: y", "", "ä", "two words"])
    func `a token that no server gives is refused before it is sent`(_ token: String) throws {
        let url = try #require(URL(string: "https://host"))
        let error = #expect(throws: SyncError.self) {
            try ServerAddress(server: url, zone: "a", token: token, allowingPlainHTTP: false)
        }
        #expect(error?.code == .invalidToken)
    }
}
