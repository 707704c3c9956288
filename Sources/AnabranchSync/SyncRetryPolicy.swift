/// The delays after which a failed request is repeated.
///
/// The policy uses full jitter: a uniform share of an exponentially growing delay. So clients that
/// lost one server together do not return together.
///
/// Source: Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
public struct SyncRetryPolicy: Hashable, Sendable {
    /// The longest delay before the first repetition.
    public var firstDelay: Duration = .milliseconds(250)
    /// The longest delay before any repetition, unless the server asks for a longer one.
    public var longestDelay: Duration = .seconds(30)
    /// The greatest delay that the client accepts from the server's `Retry-After`. A longer one is
    /// shortened to it.
    public var longestServerDelay: Duration = .seconds(300)
    /// The number of times that one request is sent before the exchange fails.
    public var attempts = 5

    /// Creates the default policy.
    public init() {}

    /// Computes a delay.
    ///
    /// - Parameters:
    ///   - failures: The number of failures in a row, from 1.
    ///   - draw: A random number.
    ///   - serverDelay: The delay that the server asked for.
    package func delay(
        afterFailures failures: Int, draw: UInt64, serverDelay: Duration? = nil
    ) -> Duration {
        let doubled = firstDelay * Double(UInt64(1) << UInt64(min(max(failures - 1, 0), 32)))
        let share = Double(draw >> 11) / Double(UInt64(1) << 53)
        let jittered = min(doubled, longestDelay) * share
        guard let serverDelay else { return jittered }
        return min(serverDelay, longestServerDelay) + jittered
    }

    /// The pause before saves are offered again that the zone has refused.
    ///
    /// While a quota is used up, each pause is twice as long as the one before it.
    ///
    /// - Parameter refusals: The number of offers in a row without a further save between them.
    func pause(afterRefusals refusals: Int, for cause: SyncError) -> Duration {
        guard cause.code == .quotaExceeded else { return longestDelay }
        let growing = longestDelay * Double(UInt64(1) << UInt64(min(max(refusals, 0), 32)))
        return max(min(growing, longestServerDelay), longestDelay)
    }
}
