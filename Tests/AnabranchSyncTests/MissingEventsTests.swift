import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// An engine whose event stream does not work, while all other requests do.
struct MissingEventsTests {
    /// A zone whose events a test holds back. The timer of the scenario ends each wait at once.
    private static func engine(
        _ scenario: EngineScenario, _ store: Store, _ transport: EventlessTransport
    ) throws -> SyncEngine {
        try scenario.engine(store, transport) { $0.retry.longestDelay = .seconds(1) }
    }

    @Test(arguments: EventlessTransport.Fault.allCases)
    func `an engine without events polls, and says so`(
        _ fault: EventlessTransport.Fault
    ) async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let (writer, reader) = (try scenario.open("a.db"), try scenario.open("b.db"))
        let transport = EventlessTransport(scenario.transport(), fault)
        let engine = try Self.engine(scenario, reader, transport)
        engine.start()
        try await SyncEngineTests.wait { engine.status.lastExchange != nil }
        let other = try scenario.engine(writer)
        for number in 1...3 {
            try writer.insert("\(number)", names)
            try await other.synchronize()
            try await SyncEngineTests.wait { try reader.people(names).count == number }
        }
        if fault != .swallowed {
            try await SyncEngineTests.wait { engine.status.missingEvents?.code == fault.code }
            try await SyncEngineTests.wait { try SyncStatus(of: reader).missingEvents != nil }
        }
        #expect(engine.status.pollInterval != nil)

        transport.set(nil)
        try await SyncEngineTests.wait { engine.status.pollInterval == nil }
        #expect(engine.status.missingEvents == nil)
        try await SyncEngineTests.wait { try SyncStatus(of: reader).missingEvents == nil }
        try writer.insert("4", names)
        try await other.synchronize()
        try await SyncEngineTests.wait { try reader.people(names).count == 4 }
        await engine.stop()
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            EventProxy.Treatment.answered(status: 502), .answered(status: 404), .buffered,
            .swallowed,
        ])
    func `a proxy that holds back only the events delays news by a poll, and is reported`(
        _ treatment: EventProxy.Treatment
    ) async throws {
        let server = try LoopbackServer(heartbeat: .milliseconds(100))
        let proxy = try EventProxy(before: server.url.absoluteString, treatment)
        defer { proxy.close() }
        let scenario = try EngineScenario()
        let names = scenario.names
        let stores = try ["a", "b"].map { try scenario.open("\($0).db", clock: server.clock) }
        let url = try #require(URL(string: proxy.url))
        let engines = try zip(stores, [server.url, url]).map { store, url in
            var options = SyncOptions()
            options.pollInterval = .seconds(1)
            options.longestPollInterval = .seconds(1)
            options.eventSilence = .seconds(2)
            let address = try ServerAddress(
                server: url, zone: "test", token: server.token, allowingPlainHTTP: false)
            return try SyncEngine(
                side: StoreExecutor(store), address: address,
                transport: CurlTransport(address, options: options), options: options)
        }
        engines[1].start()
        try await SyncEngineTests.wait { engines[1].status.missingEvents != nil }
        try stores[0].insert("Ada", names)
        try await engines[0].synchronize()
        try await SyncEngineTests.wait { try stores[1].people(names).count == 1 }
        let codes: [EventProxy.Treatment: SyncError.Code] = [
            .answered(status: 502): .overloaded, .answered(status: 404): .zoneNotFound,
        ]
        let missing = try #require(engines[1].status.missingEvents)
        #expect(missing.code == codes[treatment] ?? .timedOut)
        // The zone itself answers.
        #expect(!missing.message.contains("Can't sync"), "\(missing)")

        proxy.set(.passed)
        try await SyncEngineTests.wait { engines[1].status.missingEvents == nil }
        #expect(engines[1].status.pollInterval == nil)
        await engines[1].stop()
    }

    @Test func `polls back off while nothing changes, each after a part of its interval`()
        async throws
    {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        let transport = EventlessTransport(scenario.transport(), .refused)
        let engine = try Self.engine(scenario, store, transport)
        engine.start()
        try await SyncEngineTests.wait {
            scenario.sleeps.withLock { $0.count { $0 > .seconds(1) } } >= 6
        }
        await engine.stop()
        let polls = scenario.sleeps.withLock { $0.filter { $0 > .seconds(1) }.prefix(6) }
        for (poll, longest) in zip(polls, [30, 60, 120, 240, 300, 300]) {
            #expect(poll >= .seconds(longest) / 2 && poll <= .seconds(longest), "\(polls)")
        }
        #expect(engine.status.pollInterval == nil)
    }

    @Test func `a head of another epoch is news, however short its log is`() async throws {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try store.insert("Ada", scenario.names)
        let memory = scenario.transport()
        let transport = EventlessTransport(memory, nil)
        let engine = try Self.engine(scenario, store, transport)
        engine.start()
        try await SyncEngineTests.wait { engine.status.position == 1 }
        let epoch = EpochID(high: 7, low: 7)
        let before = memory.requests.count
        transport.post(.head(epoch: epoch, position: 0))
        try await SyncEngineTests.wait { memory.requests.count > before }
        await engine.stop()
    }
}

/// A connection over which a test sends the events.
final class EventlessTransport: Transport {
    enum Fault: CaseIterable {
        /// The server or a proxy refuses the stream.
        case refused
        /// The stream opens, and is given up because nothing comes.
        case buffered
        /// The stream never ends and brings nothing.
        case swallowed

        var code: SyncError.Code { self == .refused ? .overloaded : .timedOut }
    }

    private typealias Stream = AsyncThrowingStream<ZoneEvent, any Error>.Continuation
    private let transport: MemoryTransport
    private let state: Mutex<(fault: Fault?, streams: [Stream])>

    init(_ transport: MemoryTransport, _ fault: Fault?) {
        self.transport = transport
        state = Mutex((fault, []))
    }

    /// Ends all streams; the next ones have this fault, or work.
    func set(_ fault: Fault?) {
        let streams = state.withLock { state in
            state.fault = fault
            defer { state.streams = [] }
            return state.streams
        }
        for stream in streams { stream.finish() }
    }

    func post(_ event: ZoneEvent) {
        for stream in state.withLock({ $0.streams }) { stream.yield(event) }
    }

    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        try await transport.send(endpoint, body: body)
    }

    func events() -> AsyncThrowingStream<ZoneEvent, any Error> {
        let fault = state.withLock { $0.fault }
        return AsyncThrowingStream { continuation in
            switch fault {
            case .refused:
                continuation.finish(throwing: SyncError(.overloaded, "It has status 502."))
            case .buffered:
                continuation.yield(.opened)
                continuation.finish(throwing: SyncError(.timedOut, "Nothing has arrived."))
            case .swallowed:
                state.withLock { $0.streams.append(continuation) }
            case nil:
                state.withLock { $0.streams.append(continuation) }
                let working = Task { [transport] in
                    for try await event in transport.events() {
                        continuation.yield(event)
                        // The server follows the first head with heartbeats.
                        continuation.yield(.heartbeat)
                    }
                }
                continuation.onTermination = { _ in working.cancel() }
            }
        }
    }
}
