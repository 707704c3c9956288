public import AnabranchReplication

/// What comparing a store with its zone came to.
public struct Verification: Sendable {
    public enum Result: Hashable, Sendable {
        /// Store and zone have the same state, and had it when the comparison began.
        case equal
        /// They have the same state now; what differed was put right.
        case repaired
        /// They differ, and nothing was changed.
        case differing
        /// It could not be told, or not be put right, and why.
        case undecided(VerificationObstacle)
    }

    public let result: Result
    /// Of the zone's log, which both sides were at.
    public let position: UInt64
    /// Of the zone's state at that position; it counts its records.
    public let checksum: StateChecksum
    /// Records that differed, at most 1,000 of them.
    public let differences: [RecordDifference]
    /// All of them.
    public let differenceCount: Int
    /// Rows of the store's file that no record could be named by.
    public let strayRowCount: Int
    /// Of the exchange that went before and of all that was asked.
    public let outcome: SyncOutcome

    init(_ outcome: SyncOutcome) {
        let progress = outcome.verification
        let count = (progress?.differenceCount ?? 0) + (progress?.strayCount ?? 0)
        switch progress?.ending {
        case .equal: result = count == 0 ? .equal : .repaired
        case .differing: result = .differing
        case .undecided(let obstacle): result = .undecided(obstacle)
        case nil: result = .undecided(.busy)
        }
        position = outcome.position
        checksum = progress?.checksum ?? .zero
        differences = progress?.differences ?? []
        differenceCount = progress?.differenceCount ?? 0
        strayRowCount = progress?.strayCount ?? 0
        self.outcome = outcome
    }
}

/// Why two states could not be compared to the end, or not be made equal.
public struct VerificationObstacle: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Saves of this store or of others kept coming: verify again in a quieter moment.
    public static let busy = VerificationObstacle(rawValue: "busy")
    /// The zone does not take the store's saves: `outcome.blockedBy` says why.
    public static let blocked = VerificationObstacle(rawValue: "blocked")
    /// The zone's checksum is not that of its records: its operator runs
    /// `anabranchd zone verify`.
    public static let zoneInconsistent = VerificationObstacle(rawValue: "zone-inconsistent")
    /// Records differ again after they were repaired: report it, with the store's file.
    public static let notRepaired = VerificationObstacle(rawValue: "not-repaired")
    /// The zone's answers came to no end: report it to its operator.
    public static let endless = VerificationObstacle(rawValue: "endless")
}

extension SyncEngine {
    /// Compares the store's whole state with the zone's, and, if it is wanted, puts right what
    /// differs.
    ///
    /// First everything is exchanged, so that both have the same change sets; then sums over the
    /// records are compared, over smaller and smaller ranges where they differ, so that little is
    /// asked where little differs. Saves go on meanwhile; where they never pause for a moment
    /// nothing can be told (`busy`).
    ///
    /// What a repair changes, contexts are told as of any remote change. Values and links that
    /// stood in the store only are in the conflict journal afterwards, of kind
    /// `replacedByRepair`.
    ///
    /// - Parameter isRepairing: Whether records that differ get the zone's state.
    /// - Throws: As ``synchronize()``: where the zone can't be reached nothing is told.
    ///   ``SyncError`` `storeFailed` where SQLite finds the file itself damaged.
    public func verify(repairing isRepairing: Bool = false) async throws -> Verification {
        Verification(try await run(verifying: isRepairing ? .repairing : .reporting))
    }
}
