import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests that a save larger than a request goes up all the same, or is rejected so that later saves
/// can follow.
struct DividedSaveTests {
    private static let longName = String(repeating: "x", count: 100_000)

    private func insertPeople(
        _ count: Int, into store: Store, _ names: SmallModel
    ) throws {
        var request = SaveRequest(author: "app")
        let rows = try store.reserveNumbers(count).map { id in
            var slots = [PropertyValue](repeating: .null, count: names.person.slots.count)
            slots[names.name] = .string("person \(id)")
            return (id: id, slots: slots)
        }
        request.inserts = [.init(entity: names.person, rows: rows)]
        _ = try store.save(request)
    }

    @Test(arguments: [1_024, 2_000, 40_000])
    func `a save larger than a request goes up in pieces, and later saves follow`(
        bodyBytes: Int
    ) async throws {
        let scenario = try EngineScenario(bodyBytes: bodyBytes)
        let names = scenario.names
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        try a.insert("Ada", names)
        try a.insert(Self.longName, names)
        try a.insert("Bob", names)
        let transport = LimitedTransport(scenario.transport(), bodyBytes: bodyBytes)
        let outcome = try await scenario.engine(a, transport).synchronize()
        #expect(outcome.isCaughtUp && outcome.blockedBy == nil && outcome.rejectedSaves == 0)
        #expect(outcome.pushedChangeSets == 3 && transport.refused == 0)
        _ = try await scenario.engine(b).synchronize()
        #expect(try b.people(names).count == 3)
        try scenario.expectConverged([a, b])
        #expect(try await scenario.engine(a, transport).synchronize().isCaughtUp)
    }

    @Test func `a divided save can be renamed, and is one save for a store that has it whole`()
        async throws
    {
        let scenario = try EngineScenario(bodyBytes: 2_000)
        let names = scenario.names
        let a = try scenario.open("a.db")
        try a.insert("first", names)
        a.close()
        let before = try scenario.content(of: "a.db")
        let first = try scenario.open("a.db")
        try first.insert(Self.longName + "1", names)
        try scenario.copy("a.db", to: "whole.db")
        _ = try await scenario.engine(first).synchronize()
        first.close()
        try scenario.overwrite("a.db", with: before)
        // It has saved something else under the same number.
        let twin = try scenario.open("a.db")
        try twin.insert(Self.longName + "2", names)
        for _ in 0..<3 { _ = try await scenario.engine(twin).synchronize() }
        #expect(try twin.people(names).count == 3)
        // A copy has the first save whole, as it was saved.
        let whole = try scenario.open("whole.db")
        for _ in 0..<2 { _ = try await scenario.engine(whole).synchronize() }
        #expect(try whole.people(names).count == 3)
        try scenario.expectConverged([twin, whole])
        #expect(try scenario.log().count == 3)
        #expect(try scenario.engine(whole).status.pendingCount == 0)
    }

    @Test func `a save that can't be divided that far is rejected, and later saves follow`()
        async throws
    {
        let scenario = try EngineScenario(bodyBytes: 1_024)
        let names = scenario.names
        let (a, b) = (try scenario.open("a.db", partBytes: 300), try scenario.open("b.db"))
        try a.insert("before", names)
        // The list of its parts alone is larger than a request.
        try insertPeople(1_000, into: a, names)
        try a.insert("after", names)
        let transport = LimitedTransport(scenario.transport(), bodyBytes: 1_024)
        let outcome = try await scenario.engine(a, transport).synchronize()
        #expect(outcome.isCaughtUp && outcome.blockedBy == nil && outcome.rejectedSaves == 1)
        #expect(transport.refused == 0)
        let rejected = try #require(try a.rejectedSaves().first)
        #expect(rejected.rejection.code == .tooLarge)
        #expect(rejected.rejection.reason.contains("1024 bytes"))
        #expect(try rejected.operations().flatMap(\.touchedRecords).count == 1_000)
        _ = try await scenario.engine(b).synchronize()
        #expect(try b.names(names).count == 2)
        try scenario.expectConverged([a, b])
    }

    /// The server says a limit of 64 MiB in hello; a proxy before it takes less and says nothing.
    @Test func `a save larger than a proxy takes goes up in pieces that it takes`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        for number in 0..<3 { try a.insert(Self.longName + "\(number)", names) }
        try a.insert("after", names)
        let transport = LimitedTransport(scenario.transport(), bodyBytes: 30_000)
        let outcome = try await scenario.engine(a, transport).synchronize()
        #expect(outcome.isCaughtUp && outcome.rejectedSaves == 0)
        _ = try await scenario.engine(b).synchronize()
        try scenario.expectConverged([a, b])
    }

    @Test func `no save is rejected for a proxy that takes next to nothing`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let a = try scenario.open("a.db")
        try a.insert(Self.longName, names)
        try a.insert("after", names)
        let transport = LimitedTransport(scenario.transport(), bodyBytes: 300)
        for _ in 0..<2 {
            let outcome = try await scenario.engine(a, transport).synchronize()
            #expect(outcome.blockedBy?.code == .bodyTooLarge && outcome.rejectedSaves == 0)
            #expect(outcome.pendingCount == 2)
        }
        #expect(try await scenario.engine(a).synchronize().isCaughtUp)
        try scenario.expectConverged([a])
    }

    /// The engine has the limit of an earlier hello, and the server was started with a lower one.
    @Test func `a limit that a refusal names holds from then on`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let a = try scenario.open("a.db", partBytes: 300)
        let transport = LimitedTransport(
            scenario.transport(), bodyBytes: 1_024, namesLimit: true)
        let engine = try scenario.engine(a, transport)
        #expect(try await engine.synchronize().isCaughtUp)
        try insertPeople(1_000, into: a, names)
        try a.insert(Self.longName, names)
        let outcome = try await engine.synchronize()
        #expect(outcome.isCaughtUp && outcome.rejectedSaves == 1)
        #expect(try a.people(names).count == 1)
        try scenario.expectConverged([a])
    }

    @Test func `a server with a small limit of bodies takes a large save over HTTP`() async throws {
        let server = try LoopbackServer(bodyBytes: 2_000)
        let scenario = try EngineScenario()
        let names = scenario.names
        let store = try scenario.open("a.db", clock: server.clock)
        // Random letters are not compressed to less than the limit.
        var generator = SeededGenerator(seed: 1)
        let letters = (0..<20_000).map { _ in
            Character(UnicodeScalar(UInt8(97 + generator.next() % 26)))
        }
        try store.insert(String(letters), names)
        try store.insert("after", names)
        let address = try ServerAddress(
            server: server.url, zone: "test", token: server.token, allowingPlainHTTP: false)
        let engine = try SyncEngine(
            side: StoreExecutor(store), address: address, transport: CurlTransport(address),
            options: SyncOptions())
        let outcome = try await engine.synchronize()
        #expect(outcome.isCaughtUp && outcome.pushedChangeSets == 2)
    }
}

/// A way to a zone on which a push or a piece is refused if its body is larger than a limit.
private final class LimitedTransport: Transport {
    private let transport: MemoryTransport
    private let bodyBytes: Int
    private let namesLimit: Bool
    private let refusals = Mutex(0)

    init(_ transport: MemoryTransport, bodyBytes: Int, namesLimit: Bool = false) {
        self.transport = transport
        self.bodyBytes = bodyBytes
        self.namesLimit = namesLimit
    }

    /// The number of refused requests.
    var refused: Int { refusals.withLock { $0 } }

    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        guard body.count > bodyBytes, endpoint == .push || endpoint == .stage else {
            return try await transport.send(endpoint, body: body)
        }
        refusals.withLock { $0 += 1 }
        return .refusal(
            ProtocolError(
                .bodyTooLarge, "Too large.",
                details: namesLimit ? ["limit": "\(bodyBytes)"] : ["status": "413"]),
            retryAfter: nil)
    }

    func events() -> AsyncThrowingStream<ZoneEvent, any Error> { transport.events() }
}
