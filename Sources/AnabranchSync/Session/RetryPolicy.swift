/// When a failed request is sent again.
///
/// Full jitter: a uniform share of an exponentially growing delay, so that clients which lost one
/// server together do not come back together.
///
/// Source: Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
public struct RetryPolicy: Hashable, Sendable {
    /// The most that the first retry waits.
    public var firstDelay: Duration = .milliseconds(250)
    /// The most that any retry waits, unless the server asks for more.
    public var longestDelay: Duration = .seconds(30)
    /// The most that the server's `Retry-After` is believed.
    public var longestServerDelay: Duration = .seconds(300)
    /// How often one request is sent before the exchange gives up.
    public var attempts = 5

    public init() {}

    /// - Parameters:
    ///   - failures: How often in a row, from 1.
    ///   - draw: A random number.
    ///   - serverDelay: What the server asked for.
    package func delay(
        afterFailures failures: Int, draw: UInt64, serverDelay: Duration? = nil
    ) -> Duration {
        let doubled = firstDelay * Double(UInt64(1) << UInt64(min(max(failures - 1, 0), 32)))
        let share = Double(draw >> 11) / Double(UInt64(1) << 53)
        let jittered = min(doubled, longestDelay) * share
        guard let serverDelay else { return jittered }
        return min(serverDelay, longestServerDelay) + jittered
    }
}
