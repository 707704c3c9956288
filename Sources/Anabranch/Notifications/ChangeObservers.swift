import Synchronization

/// Who iterates over a context's changes.
final class ChangeObservers: Sendable {
    private struct State: Sendable {
        var next = 0
        var streams: [Int: AsyncStream<ObjectIDChanges>.Continuation] = [:]
    }

    private let state = Mutex(State())

    deinit {
        for continuation in state.withLock({ $0.streams.values }) { continuation.finish() }
    }

    func stream() -> AsyncStream<ObjectIDChanges> {
        let (stream, continuation) = AsyncStream<ObjectIDChanges>.makeStream()
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

    func yield(_ changes: ObjectIDChanges) {
        let streams = state.withLock { Array($0.streams.values) }
        for continuation in streams { continuation.yield(changes) }
    }
}
