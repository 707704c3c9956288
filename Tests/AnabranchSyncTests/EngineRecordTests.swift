import AnabranchProtocol
import AnabranchSQLite
import AnabranchStore
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of what an engine records in the store's file, and of its live loop.
struct EngineRecordTests {
    @Test func `an address that could not be stored is stored by the next exchange`()
        async throws
    {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try store.insert("Ada", scenario.names)
        let engine = try scenario.engine(store)
        let file = try Connection(path: scenario.folder.file("a.db"))
        defer { file.close() }
        try file.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON ab_meta WHEN NEW.key LIKE 'sync.%' "
                + "BEGIN SELECT RAISE(ABORT, 'refused'); END")
        #expect(try await engine.synchronize().isCaughtUp)
        #expect(try SyncMetadata(of: store).server == nil)
        try file.execute("DROP TRIGGER refuse")
        #expect(try await engine.synchronize().isCaughtUp)
        let kept = try SyncMetadata(of: store)
        #expect(kept.server == "https://sync.example" && kept.zone == "family")
        #expect(kept.lastExchange != nil)
    }

    @Test func `of a start among several stops no loop is left that a later stop does not end`()
        async throws
    {
        for _ in 0..<20 {
            let scenario = try EngineScenario()
            let store = try scenario.open("a.db")
            let transport = GatedTransport(scenario.transport())
            let engine = try scenario.engine(store, transport)
            engine.start()
            try await SyncEngineTests.wait { transport.openStreams > 0 }
            await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        await engine.stop()
                        if number == 0 { engine.start() }
                    }
                }
                group.addTask {
                    // By now every call waits for the loop, and the request of the loop goes on.
                    try? await Task.sleep(for: .milliseconds(10))
                    transport.open()
                }
            }
            await engine.stop()
            // A loop that was left would follow the zone's events by now.
            try await Task.sleep(for: .milliseconds(20))
            #expect(transport.openStreams == 0)
            #expect(!engine.status.isLive)
        }
    }
}

/// A connection that holds its requests until a test lets them go, also if a task is cancelled.
private final class GatedTransport: Transport {
    private let transport: MemoryTransport
    private let isOpen = Mutex(false)
    private let streams = Mutex(0)

    init(_ transport: MemoryTransport) { self.transport = transport }

    /// The number of event streams that are followed.
    var openStreams: Int { streams.withLock { $0 } }

    func open() { isOpen.withLock { $0 = true } }

    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        while !isOpen.withLock({ $0 }) {
            try? await Task.sleep(for: .milliseconds(1))
            await Task.yield()
        }
        return try await transport.send(endpoint, body: body)
    }

    func events() -> AsyncThrowingStream<ZoneEvent, any Error> {
        streams.withLock { $0 += 1 }
        return AsyncThrowingStream { continuation in
            continuation.onTermination = { [self] _ in streams.withLock { $0 -= 1 } }
            continuation.yield(.opened)
            continuation.yield(.heartbeat)
        }
    }
}
