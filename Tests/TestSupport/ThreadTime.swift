import Foundation

/// The time that the calling thread has had a processor: what other tests and programs do
/// meanwhile, and when the thread had to wait, is not in it.
public enum ThreadTime {
    /// The time that the body takes of the calling thread, which it must not leave.
    public static func measure(_ body: () throws -> Void) rethrows -> Duration {
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
