/// A signal that is given once, for which a thread can wait.
///
/// A wait follows the monotonic clock, as that of ``Condition``; `DispatchSemaphore` waits by the
/// wall clock on Linux.
final class Signal: Sendable {
    private let condition = Condition()
    /// Used only while `condition` is locked.
    nonisolated(unsafe) private var isGiven = false

    func give() {
        condition.withLock {
            isGiven = true
            condition.broadcast()
        }
    }

    /// Waits for the signal for some time.
    ///
    /// - Returns: False if it was not given.
    func wait(for time: Duration) -> Bool {
        let deadline = ContinuousClock.now + time
        return condition.withLock {
            while !isGiven, condition.wait(until: deadline) {}
            return isGiven
        }
    }
}
