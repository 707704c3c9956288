import AnabranchReplication
import Testing

@testable import AnabranchSync

struct EventStreamHealthTests {
    private static let head = ZoneEvent.head(epoch: EpochID(high: 1, low: 2), position: 3)
    private static let silent = SyncError(.timedOut, "Nothing has arrived.")
    private let health = ObservedStream()

    @Test func `a stream is live from its first event on, not from its opening`() {
        health.begin()
        #expect(!health.receive(.opened))
        #expect(!health.isLive)
        #expect(health.receive(Self.head))
        #expect(health.isLive)
        #expect(!health.receive(.heartbeat))
    }

    @Test func `the first end is not reported, the second in a row is`() {
        health.begin()
        _ = health.receive(Self.head)
        #expect(health.end(nil) == nil)
        health.begin()
        let gone = SyncError(.unreachable, "Nobody is there.")
        #expect(health.end(gone)?.code == .unreachable)
        health.begin()
        _ = health.receive(.opened)
        #expect(health.end(nil)?.code == .unreachable)
        #expect(health.failures == 3)
        health.begin()
        #expect(health.receive(Self.head))
        #expect(health.failures == 0)
    }

    @Test func `after a silent stream only more than a first head is believed`() {
        for proof in [ZoneEvent.heartbeat, Self.head] {
            health.begin()
            _ = health.receive(.opened)
            #expect(health.end(Self.silent)?.message.contains("60.0 seconds") == true)
            health.begin()
            _ = health.receive(.opened)
            #expect(!health.receive(Self.head))
            #expect(!health.isLive)
            #expect(health.receive(proof))
        }
    }

    @Test func `a connection that is never taken is no silent stream`() {
        health.begin()
        #expect(health.end(Self.silent) == nil)
        health.begin()
        #expect(health.receive(Self.head))
    }

    @Test func `polls come less often while they find nothing`() {
        var options = SyncOptions()
        #expect(options.pollInterval == .seconds(30))
        let intervals = (0..<6).map { options.pollInterval(afterQuietPolls: $0) }
        #expect(intervals == [30, 60, 120, 240, 300, 300].map { .seconds($0) })
        options.pollInterval = .zero
        #expect(options.pollInterval(afterQuietPolls: 0) == .seconds(1))
        options.pollInterval = .seconds(Int64.max)
        options.longestPollInterval = .zero
        #expect(options.pollInterval(afterQuietPolls: .max) == .seconds(86_400))
    }
}

/// The health of a zone's streams in a form that expectations can change.
private final class ObservedStream {
    private var health = EventStreamHealth(silence: .seconds(60))

    var isLive: Bool { health.isLive }
    var failures: Int { health.failures }
    func begin() { health.begin() }
    func receive(_ event: ZoneEvent) -> Bool { health.receive(event) }
    func end(_ failure: SyncError?) -> SyncError? { health.end(failure) }
}
