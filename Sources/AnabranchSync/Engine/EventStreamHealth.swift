/// Decides whether a zone's event stream can be relied on, from what arrives on it.
///
/// A server sends the zone's head as soon as a stream opens, and heartbeats after it. So a stream
/// counts as live from its first event on. The opening alone shows nothing: a proxy that buffers
/// answers passes their head and holds the events back. After a stream that fell silent, the next
/// one is doubted until it brings more than its first head, because such a proxy may pass the first
/// bytes of every stream.
struct EventStreamHealth {
    /// Indicates whether events arrive.
    private(set) var isLive = false
    /// The number of streams in a row that ended, without a live one since.
    private(set) var failures = 0
    private let silence: Duration
    private var isOpen = false
    private var hasEvent = false
    private var isDoubted = false

    /// - Parameter silence: The time without a byte after which a stream counts as broken.
    init(silence: Duration) { self.silence = silence }

    /// Prepares for a stream that is about to be requested.
    mutating func begin() { (isOpen, hasEvent) = (false, false) }

    /// Takes account of an event.
    ///
    /// - Returns: Whether the stream has become live by this event.
    mutating func receive(_ event: ZoneEvent) -> Bool {
        guard event != .opened else {
            isOpen = true
            return false
        }
        if hasEvent || event == .heartbeat { isDoubted = false }
        hasEvent = true
        guard !isDoubted, !isLive else { return false }
        (isLive, failures) = (true, 0)
        return true
    }

    /// Takes account of the end of a stream.
    ///
    /// - Parameter failure: The reason why it ended, or `nil` if the other side ended it.
    /// - Returns: The reason why live events are missing. It is `nil` after the first end in a row,
    ///   as at a restart of the server: the next stream mostly opens at once.
    mutating func end(_ failure: SyncError?) -> SyncError? {
        isLive = false
        failures += 1
        if isOpen, failure?.code == .timedOut {
            isDoubted = true
            return SyncError(
                .timedOut,
                "Can't follow the zone's events because the stream opened and then nothing "
                    + "arrived for \(silence), not even a heartbeat. A proxy before the server "
                    + "must not buffer the stream.", underlying: failure)
        }
        guard failures > 1 else { return nil }
        return failure
            ?? SyncError(
                .unreachable,
                "Can't follow the zone's events because their stream ends as soon as it opens. "
                    + "Check the proxies before the server.")
    }
}

extension SyncOptions {
    /// The longest time to the next poll, after a number of polls in a row that found nothing.
    ///
    /// Each is twice as long as the one before it, up to ``longestPollInterval``.
    func pollInterval(afterQuietPolls count: Int) -> Duration {
        let first = min(max(pollInterval, .seconds(1)), .seconds(86_400))
        let grown = first * Double(UInt64(1) << UInt64(min(max(count, 0), 20)))
        return max(min(grown, longestPollInterval), first)
    }
}
