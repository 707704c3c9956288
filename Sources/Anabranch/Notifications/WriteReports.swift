import Synchronization

/// When to look for a commit after the report that a file was written.
///
/// SQLite writes and flushes the pages of a commit before the commit can be seen. So a look at the
/// moment of the report may be too early, and others follow. Each waits as long as has passed since
/// the report: a few looks find the commit soon after it can be seen, on a fast and on a slow disk.
final class WriteReports: Sendable {
    /// The time from a report to the last look, in which even a slow disk has flushed.
    private static let patience = Duration.seconds(60)
    private static let shortestPause = Duration.milliseconds(5)

    private let last: Mutex<ContinuousClock.Instant>

    /// - Parameter now: The time from which writes are reported. There may have been one just
    ///   before.
    init(beginningAt now: ContinuousClock.Instant = .now) { last = Mutex(now) }

    func note(at now: ContinuousClock.Instant) { last.withLock { $0 = now } }

    /// Returns the time until the next look; `nil` if all that was reported can be seen by now.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
        let passed = now - last.withLock { $0 }
        return passed < Self.patience ? max(passed, Self.shortestPause) : nil
    }
}
