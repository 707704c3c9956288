import Foundation

/// The processor time of the calling thread. Other tests and programs, and times in which the
/// thread waits, do not count.
package enum ThreadTime {
    /// Returns the time that the body uses on the calling thread. The body must not leave this
    /// thread.
    package static func measure(_ body: () throws -> Void) rethrows -> Duration {
        let start = now
        try body()
        return now - start
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
