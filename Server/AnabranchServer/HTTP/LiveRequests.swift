import Dispatch
import Synchronization

/// The requests that have begun and not ended; stopping the server waits for them.
final class LiveRequests: Sendable {
    private struct State {
        var count = 0
        var streams: [ObjectIdentifier: EventStream] = [:]
        var isClosing = false
        var whenEnded: DispatchSemaphore?
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.count += 1 } }

    func end(_ stream: EventStream?) {
        let signal = state.withLock { state -> DispatchSemaphore? in
            state.count -= 1
            if let stream { state.streams[ObjectIdentifier(stream)] = nil }
            return state.count == 0 ? state.whenEnded : nil
        }
        signal?.signal()
    }

    func add(_ stream: EventStream) {
        let isClosing = state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = stream
            return state.isClosing
        }
        if isClosing { stream.close() }
    }

    func closeStreams() {
        let streams = state.withLock { state in
            state.isClosing = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.close() }
    }

    func waitUntilEnded(by deadline: ContinuousClock.Instant) {
        let signal = DispatchSemaphore(value: 0)
        let isEnded = state.withLock { state in
            state.whenEnded = signal
            return state.count == 0
        }
        guard !isEnded else { return }
        let seconds = max((deadline - .now) / .seconds(1), 0)
        _ = signal.wait(timeout: .now() + seconds)
    }
}
