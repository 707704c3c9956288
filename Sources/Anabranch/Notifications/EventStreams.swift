import Synchronization

/// The asynchronous sequences that report events of one kind.
///
/// A sequence keeps the newest events for a slow reader and drops those before, so its memory has a
/// bound.
final class EventStreams<Event: Sendable>: Sendable {
    private struct State: Sendable {
        var next = 0
        var streams: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The greatest number of events that wait for the reader of one sequence.
    init(limit: Int = 1024) { self.limit = limit }

    deinit { finish() }

    func finish() {
        // Each sequence removes itself, which needs the lock.
        for continuation in state.withLock({ Array($0.streams.values) }) { continuation.finish() }
    }

    func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream(
            bufferingPolicy: .bufferingNewest(limit))
        let number = state.withLock { state in
            state.next += 1
            state.streams[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    func yield(_ event: Event) {
        let streams = state.withLock { Array($0.streams.values) }
        for continuation in streams { continuation.yield(event) }
    }
}
