import Foundation

/// A lock, and the condition for which the threads that hold it can wait.
///
/// A wait follows the monotonic clock. That of `NSCondition` follows the wall clock: it lasts an
/// hour longer if the clock is set back by an hour, and ends at once if the clock is set forward.
final class Condition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let signal = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(signal, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(signal, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(signal)
        pthread_mutex_destroy(mutex)
        signal.deallocate()
        mutex.deallocate()
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Wakes all threads that wait.
    func broadcast() { pthread_cond_broadcast(signal) }

    /// Waits for a broadcast. The caller holds the lock, which is released during the wait.
    func wait() { pthread_cond_wait(signal, mutex) }

    /// Waits for a broadcast for some time. The caller holds the lock.
    ///
    /// It may return earlier, so the caller looks again at what it waits for.
    ///
    /// - Returns: False if the time is over.
    func wait(until deadline: ContinuousClock.Instant) -> Bool {
        let left = min(deadline - .now, Self.longestWait)
        guard left > .zero else { return false }
        let (seconds, attoseconds) = left.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        #if canImport(Darwin)
            pthread_cond_timedwait_relative_np(signal, mutex, &time)
        #else
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            time.tv_sec += now.tv_sec
            time.tv_nsec += now.tv_nsec
            if time.tv_nsec >= 1_000_000_000 {
                time.tv_sec += 1
                time.tv_nsec -= 1_000_000_000
            }
            pthread_cond_timedwait(signal, mutex, &time)
        #endif
        return ContinuousClock.now < deadline
    }

    private static let longestWait = Duration.seconds(3600)
}
