public import AnabranchReplication

/// The result of comparing a store's state with that of its zone.
public struct ZoneComparison: Sendable {
    /// The outcome of the comparison.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Result: Hashable, Sendable {
        /// Store and zone have the same state, and had it when the comparison began.
        case equal
        /// Store and zone have the same state now, because the differences were repaired.
        case repaired
        /// Store and zone differ, and nothing was changed.
        case differing
        /// The comparison or the repair could not be completed, for this reason.
        case inconclusive(VerificationObstacle)
    }

    /// The outcome of the comparison.
    public let result: Result
    /// The position in the zone's log at which both sides were compared.
    public let position: UInt64
    /// The checksum of the zone's state at that position, which includes the number of its records.
    package let checksum: StateChecksum
    /// The records that differed, at most 1,000 of them.
    public let differences: [RecordDifference]
    /// The number of all records that differed.
    public let differenceCount: Int
    /// The number of rows in the store's file that belong to no record.
    public let strayRowCount: Int
    /// The result of the exchange before the comparison, with the cost of all requests.
    public let outcome: SyncOutcome

    init(_ outcome: SyncOutcome) {
        let progress = outcome.verification
        let count = (progress?.differenceCount ?? 0) + (progress?.orphanedRowCount ?? 0)
        switch progress?.ending {
        case .equal: result = count == 0 ? .equal : .repaired
        case .differing: result = .differing
        case .inconclusive(let obstacle): result = .inconclusive(obstacle)
        case nil: result = .inconclusive(.busy)
        }
        position = outcome.position
        checksum = progress?.checksum ?? .zero
        differences = progress?.differences ?? []
        differenceCount = progress?.differenceCount ?? 0
        strayRowCount = progress?.orphanedRowCount ?? 0
        self.outcome = outcome
    }
}
