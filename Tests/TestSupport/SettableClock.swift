import Synchronization

/// A wall clock that a test sets.
package final class SettableClock: Sendable {
    private let time: Mutex<Int64>

    /// Creates a clock that shows a time, in milliseconds since 1970-01-01 UTC.
    package init(_ milliseconds: Int64 = 1_700_000_000_000) { time = Mutex(milliseconds) }

    /// The time that the clock shows.
    package var milliseconds: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
