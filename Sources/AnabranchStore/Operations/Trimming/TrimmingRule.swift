import AnabranchReplication

/// A retention rule at one moment.
struct TrimmingRule {
    /// Saves before this time are removed.
    private let oldest: Int64
    /// Saves from this time on are kept whatever the size of the log is.
    private let young: Int64
    private let byteLimit: Int

    /// - Parameter wallMilliseconds: The present time, as saves of this store would have it.
    init(_ retention: LogRetention, wallMilliseconds: Int64) {
        func time(before age: Duration) -> Int64 {
            wallMilliseconds.subtractingClamped(age.wholeMilliseconds)
        }
        oldest = retention.age.map(time) ?? .min
        young = time(before: retention.leastAge)
        byteLimit = retention.byteCount ?? .max
    }

    /// True if a save is too old to be kept.
    func isExpired(_ time: HybridTimestamp) -> Bool { time.wallMilliseconds < oldest }

    /// True if the rule does not keep a save.
    ///
    /// - Parameter byteCount: The bytes of all saves in the log.
    func removes(_ time: HybridTimestamp, from byteCount: Int) -> Bool {
        isExpired(time) || byteCount > byteLimit && time.wallMilliseconds < young
    }
}
