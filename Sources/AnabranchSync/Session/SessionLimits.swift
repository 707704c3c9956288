/// The limits of one request, one transaction and one exchange.
package struct SessionLimits: Hashable, Sendable {
    /// The number of bytes of change sets in one pull.
    package var pageBytes = 1 << 20
    /// The number of bytes of change sets in one push.
    package var batchBytes = 1 << 20
    /// The number of change sets in one push.
    package var batchCount = 1000
    /// The number of bytes of a part of a save in one request.
    package var pieceBytes = 1 << 20
    /// The number of bytes of change sets in one transaction, about 1,000 records. A save on the
    /// main queue waits no longer than that for the writer. A larger change set is applied alone.
    package var transactionBytes = 64 << 10
    /// The least number of bytes to which pages and batches shrink after timeouts.
    package var leastBytes = 16 << 10
    /// The number of rounds of pulling and pushing without an acknowledgement after which a push
    /// counts as stuck.
    package var rounds = 3
    /// The number of remedies in one exchange that a zone may ask for again and again: saying hello
    /// because it has begun another epoch, supplying change sets that it lacks, and taking names,
    /// times or forms from its log. A zone that asks for more contradicts itself.
    package var remedies = 64
    /// The number of times that a verification looks for differences and repairs them.
    package var verificationRounds = 3
    /// The number of times in a row that both sides of a verification may be at different
    /// positions.
    package var verificationMisses = 8
    /// The number of checksum requests in one verification.
    package var verificationRequests = 10_000
    /// Indicates whether the store may continue with a log that shares nothing with its own,
    /// because it moves to another zone.
    package var mayChangeLog = false
    /// Indicates whether nothing is pushed to a zone in which all records are of entities that the
    /// model lacks.
    package var refusesForeignZone = false
    /// The version of the app; `nil` is any version.
    package var appVersion: Int?
    /// The delays and the number of repetitions after failed requests.
    package var retry = SyncRetryPolicy()

    package init() {}
}

extension SyncOptions {
    var sessionLimits: SessionLimits {
        var limits = SessionLimits()
        limits.pageBytes = max(batchBytes, limits.leastBytes)
        limits.batchBytes = max(batchBytes, limits.leastBytes)
        limits.retry = retry
        limits.mayChangeLog = movesZone
        limits.appVersion = appVersion
        limits.refusesForeignZone = refusesForeignZone
        return limits
    }
}
