package import AnabranchProtocol
package import AnabranchReplication

/// The answer to a push, and the positions that the push added to the log.
struct PushOutcome: Sendable {
    var answer: PushAnswer
    var newPositions: Range<UInt64> = 0..<0
}

/// The answer to a push, with an acknowledgement for each change set that was taken.
package struct PushAnswer: Hashable, Sendable {
    /// The acknowledgements of the request's first change sets, in their order.
    package var acknowledgements: [PushResponse.Acknowledgement]
    /// The forms in which these change sets were sent.
    var sent: [PushResponse.SentForm] = []
    /// The reason why the change set after the last acknowledged one was refused; `nil` if none
    /// was refused.
    package var refusal: ProtocolError?
    /// The position of the log's last entry.
    package var headPosition: UInt64
    var wallMilliseconds: Int64

    /// The answer as it is sent.
    package var response: PushResponse {
        PushResponse(
            acknowledging: acknowledgements, of: sent, refusal: refusal,
            headPosition: headPosition, wallMilliseconds: wallMilliseconds)
    }

    /// The refusal of the whole request, not of one change set.
    var wholeRefusal: ProtocolError? { refusal?.code == .unknownEpoch ? refusal : nil }
}

/// A push that is answered: the right that it used, its change sets, and what became of them.
package struct PushRecord: Sendable {
    package let zone: ZoneName
    /// The right and the address of the request; `nil` for a caller in the server's process.
    package let origin: RequestOrigin?
    /// The change sets of the request that could be decoded, in their order.
    package let dots: [Dot]
    /// The positions of the log that the push added, accepted change sets and voids.
    package let newPositions: Range<UInt64>
    /// The codes of the change sets that were rejected for good, in their order.
    package let rejections: [SaveRejection.Code]
    /// The number of change sets that the log held already.
    package let heldCount: Int
    /// The number of change sets that stay with their author.
    package let refusedCount: Int
    /// The reason why the first of the refused change sets was refused.
    package let refusal: ProtocolError?

    /// The number of change sets that were accepted.
    package var acceptedCount: Int { newPositions.count - rejections.count }

    /// True if the log is as it was, and the client got what it asked for.
    package var isRepetition: Bool { newPositions.isEmpty && refusal == nil }

    init(_ job: PushJob, in zone: ZoneName, _ outcome: PushOutcome) {
        let acknowledgements = outcome.answer.acknowledgements
        self.zone = zone
        origin = job.origin
        dots = job.changeSets.map(\.changeSet.dot)
        newPositions = outcome.newPositions
        // A request may name one change set twice.
        var rejected: [UInt64: SaveRejection.Code] = [:]
        for each in acknowledgements where newPositions.contains(each.position) {
            rejected[each.position] = each.rejection?.code
        }
        rejections = newPositions.compactMap { rejected[$0] }
        heldCount = acknowledgements.count - newPositions.count
        refusedCount = job.requestedCount - acknowledgements.count
        refusal = outcome.answer.refusal
    }

    /// Creates the record of a push of which nothing was kept.
    init(_ job: PushJob, in zone: ZoneName, refusedBy refusal: ProtocolError) {
        self.zone = zone
        origin = job.origin
        dots = job.changeSets.map(\.changeSet.dot)
        newPositions = 0..<0
        rejections = []
        heldCount = 0
        refusedCount = job.requestedCount
        self.refusal = refusal
    }
}

extension ServerMetrics {
    /// Counts the change sets of a push by their outcomes.
    func count(_ push: PushRecord) {
        let outcomes = [
            ("accepted", push.acceptedCount), ("held", push.heldCount),
            ("rejected", push.rejections.count),
        ]
        for (outcome, count) in outcomes where count > 0 { changeSets.add(Double(count), outcome) }
    }
}
