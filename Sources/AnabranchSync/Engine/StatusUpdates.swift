internal import Synchronization

/// The observers of an engine's status.
final class StatusUpdates: Sendable {
    private typealias Continuation = AsyncStream<SyncStatus>.Continuation

    private let followers = Mutex<(next: UInt64, all: [UInt64: Continuation])>((0, [:]))

    /// Creates a stream of statuses. A slow observer misses intermediate statuses, but never the
    /// last one.
    func stream(beginningWith status: SyncStatus) -> AsyncStream<SyncStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = followers.withLock { followers in
                followers.next += 1
                followers.all[followers.next] = continuation
                return followers.next
            }
            continuation.yield(status)
            continuation.onTermination = { [weak self] _ in
                _ = self?.followers.withLock { $0.all.removeValue(forKey: number) }
            }
        }
    }

    func yield(_ status: SyncStatus) {
        for follower in followers.withLock({ Array($0.all.values) }) { follower.yield(status) }
    }

    deinit {
        for follower in followers.withLock({ Array($0.all.values) }) { follower.finish() }
    }
}
