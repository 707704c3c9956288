/// A token bucket for each key, in bounded memory.
///
/// A bucket holds as many tokens as are added in a minute, so the burst is the requests of one
/// minute. A request takes one token. A bucket is stored as the time at which it is full again,
/// and an absent bucket is full.
///
/// There are two generations of buckets. When the recent one is full, it becomes the earlier one,
/// and the buckets that were in the earlier one are dropped. So the buckets of the last
/// `limit / 2` keys are always kept, and never more than `limit` buckets.
///
/// Source: the generic cell rate algorithm, ITU-T I.371.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    let limit: Int
    /// Tokens that are added in a minute; `nil` admits every request.
    private(set) var perMinute: Int?
    private var recent: [Key: Duration] = [:]
    private var earlier: [Key: Duration] = [:]

    init(perMinute: Int?, limit: Int = 100_000) {
        self.perMinute = perMinute
        self.limit = limit
    }

    /// The number of buckets in memory.
    var count: Int { recent.count + earlier.count }

    /// Changes the rate. All buckets are full afterwards, unless the rate is the same.
    mutating func replace(perMinute: Int?) {
        guard perMinute != self.perMinute else { return }
        self = TokenBuckets(perMinute: perMinute, limit: limit)
    }

    /// Takes a token from a key's bucket.
    ///
    /// - Parameter now: The time since any fixed moment; it never decreases.
    ///
    /// - Returns: `nil`, or the time after which there is a token if there is none now.
    mutating func take(_ key: Key, at now: Duration) -> Duration? {
        guard let perMinute else { return nil }
        let interval = Duration.seconds(60) / perMinute
        let fullAfter = max(recent[key] ?? earlier[key] ?? now, now) + interval
        let wait = fullAfter - now - interval * perMinute
        guard wait <= .zero else { return wait }
        store(fullAfter, for: key)
        return nil
    }

    private mutating func store(_ fullAfter: Duration, for key: Key) {
        earlier[key] = nil
        recent[key] = fullAfter
        guard recent.count >= max(limit / 2, 1) else { return }
        earlier = recent
        recent = [:]
    }
}
