import Synchronization

/// Ends the work under way when a server stops.
///
/// A back end has one. Its storages ask at the beginning of each transaction, at each statement,
/// and while a statement runs or waits. So a stop takes the time that it allows and a moment,
/// whatever runs. Work that ends in this way has changed nothing, except that the database may
/// have kept a transaction with a commit that was under way.
package final class StopSignal: Sendable {
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    package init() {}

    /// The longest time for which a wait may pass without asking ``check()`` again, in
    /// milliseconds.
    static let waitMilliseconds: Int32 = 100

    /// Allows work for a while from now on; a second call has no effect.
    package func begin(allowing duration: Duration) {
        end.withLock { $0 = $0 ?? .now + duration }
    }

    /// True if the time is over.
    var isOver: Bool {
        guard let end = end.withLock({ $0 }) else { return false }
        return ContinuousClock.now >= end
    }

    /// - Throws: ``StorageError`` `closed` if the time is over: the client tries again.
    func check() throws { if isOver { throw Self.error } }

    /// The error of work that a stop has ended.
    static let error = StorageError(
        .closed, "Can't finish the request because the server is stopping: try again.")
}
