import Synchronization

/// Tells one waiting task that something has changed since it last looked.
///
/// However many changes there are before the task looks again, it is told once. So nothing piles
/// up behind a slow reader.
final class ChangeSignal: Sendable {
    private struct State: Sendable {
        var isRaised = true
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Raises the signal and wakes the task that waits for it.
    func raise() { wake { $0.isRaised = true } }

    /// Returns when the signal is raised, and lowers it; or when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isRaised, !Task.isCancelled else {
                        state.isRaised = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
            state.withLock { $0.isRaised = false }
        } onCancel: {
            wake { _ in }
        }
    }

    private func wake(_ change: (inout sending State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
