/// How much goes into one request, one transaction, one exchange.
package struct SessionLimits: Hashable, Sendable {
    /// Bytes of change sets asked for in one pull.
    package var pageBytes = 1 << 20
    /// Bytes of change sets sent in one push.
    package var batchBytes = 1 << 20
    /// Change sets in one push.
    package var batchCount = 1000
    /// Bytes of a part of a save in one request.
    package var pieceBytes = 1 << 20
    /// Bytes of change sets applied in one transaction, about 1,000 records: a save on the main
    /// queue waits no longer than that for the writer. One larger set is applied alone.
    package var transactionBytes = 64 << 10
    /// What pages and batches shrink to when the way is slow.
    package var leastBytes = 16 << 10
    /// How often a push goes back to pulling before it counts as stuck.
    package var rounds = 3
    /// How often a verification looks for differences and repairs them.
    package var verificationRounds = 3
    /// How often in a row the two sides of a verification are not at one position.
    package var verificationMisses = 8
    /// Requests for checksums of one verification.
    package var verificationRequests = 10_000
    /// Whether a log that shares nothing with the store's is gone on with: the store moves there.
    package var mayChangeLog = false
    package var retry = RetryPolicy()

    package init() {}
}
