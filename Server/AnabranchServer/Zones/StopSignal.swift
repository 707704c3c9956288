import Synchronization

/// Ends the work under way when a server stops.
///
/// Work that may take long asks after each step whether it may go on. So a stop takes the time that
/// it allows and one step, whatever runs. Work that ends in this way has changed nothing.
package final class StopSignal: Sendable {
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    package init() {}

    /// Allows work for a while from now on; a second call has no effect.
    package func begin(allowing duration: Duration) {
        end.withLock { $0 = $0 ?? .now + duration }
    }

    /// - Throws: ``StorageError`` `closed` if the time is over: the client tries again.
    func check() throws {
        guard let end = end.withLock({ $0 }), ContinuousClock.now >= end else { return }
        throw StorageError(
            .closed, "Can't finish the request because the server is stopping: try again.")
    }
}
