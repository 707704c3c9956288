internal import Synchronization

/// Admits one exchange at a time, in the order of the calls.
final class ExchangeQueue: Sendable {
    private struct State {
        var isTaken = false
        var next: UInt64 = 0
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        /// The numbers of calls that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    /// Waits for the turn. Afterwards the caller must call `leave()`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first. Then the caller does not have
    ///   the turn.
    func enter() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, as: number) }
        } onCancel: {
            cancel(number)
        }
    }

    private func wait(_ continuation: CheckedContinuation<Void, any Error>, as number: UInt64) {
        let result: Result<Void, any Error>? = state.withLock { state in
            if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
            guard state.isTaken else {
                state.isTaken = true
                return .success(())
            }
            state.waiting.append((number, continuation))
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    private func cancel(_ number: UInt64) {
        let continuation = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return CheckedContinuation<Void, any Error>?.none
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: CancellationError())
    }

    func leave() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return CheckedContinuation<Void, any Error>?.none
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}
