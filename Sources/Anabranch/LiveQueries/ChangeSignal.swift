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
    ///
    /// The caller's actor is not left if the signal is raised already, which would cost as much as
    /// following a change.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        if isOver(orWaiting: nil) { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isOver(orWaiting: continuation) { continuation.resume() }
            }
            _ = isOver(orWaiting: nil)
        } onCancel: {
            wake { _ in }
        }
    }

    /// Returns true if there is nothing to wait for, and lowers the signal. Otherwise the waiter is
    /// woken later.
    private func isOver(orWaiting waiter: CheckedContinuation<Void, Never>?) -> Bool {
        state.withLock { state in
            guard !state.isRaised, !Task.isCancelled else {
                state.isRaised = false
                return true
            }
            state.waiter = waiter
            return false
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
