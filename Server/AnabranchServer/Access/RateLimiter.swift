import AnabranchProtocol
import Foundation
import Synchronization

/// Refuses requests of tokens, subjects and addresses that send too many.
package final class RateLimiter: Sendable {
    private struct Buckets {
        var addresses: TokenBuckets<String>
        var holders: TokenBuckets<AccessHolder>
    }

    private let buckets: Mutex<Buckets>
    private let metrics: ServerMetrics
    private let now: @Sendable () -> Duration

    /// Creates a limiter.
    ///
    /// - Parameter now: Returns the time since any fixed moment, by a clock that is never set;
    ///   `nil` is the system's.
    package init(
        _ limits: RateLimits, metrics: ServerMetrics, now: (@Sendable () -> Duration)? = nil
    ) {
        buckets = Mutex(
            Buckets(
                addresses: TokenBuckets(perMinute: limits.perAddress),
                holders: TokenBuckets(perMinute: limits.perToken)))
        self.metrics = metrics
        let start = ContinuousClock.now
        self.now = now ?? { ContinuousClock.now - start }
    }

    /// Replaces the limits while requests arrive.
    package func replace(_ limits: RateLimits) {
        buckets.withLock { buckets in
            buckets.addresses.replace(perMinute: limits.perAddress)
            buckets.holders.replace(perMinute: limits.perToken)
        }
    }

    /// Counts a request from an address. An address that is not known has no limit.
    ///
    /// - Throws: `tooManyRequests`.
    func count(address: String) throws(ProtocolError) {
        guard !address.isEmpty else { return }
        try refuse("address", "from this address") { buckets, now in
            buckets.addresses.perMinute == nil
                ? nil : buckets.addresses.take(SocketAddress.network(of: address), at: now)
        }
    }

    /// Counts a request of a token or a subject.
    ///
    /// - Throws: `tooManyRequests`.
    func count(_ holder: AccessHolder) throws(ProtocolError) {
        try refuse("token", "with this token") { $0.holders.take(holder, at: $1) }
    }

    private func refuse(
        _ kind: String, _ words: String, _ take: (inout Buckets, Duration) -> Duration?
    ) throws(ProtocolError) {
        let now = now()
        guard let wait = buckets.withLock({ take(&$0, now) }) else { return }
        metrics.limitedRequests.add(1, kind)
        let whole = wait.components
        let seconds = max(whole.seconds + (whole.attoseconds > 0 ? 1 : 0), 1)
        throw ProtocolError(
            .tooManyRequests,
            "There are too many requests \(words): try again in \(seconds) s.",
            details: ["limit": kind, ProtocolError.retryAfterDetail: "\(seconds)"])
    }
}
