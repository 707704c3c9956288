public import AnabranchReplication

/// The result of comparing a store's state with that of its zone.
public struct Verification: Sendable {
    /// The outcome of the comparison.
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
    public let checksum: StateChecksum
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

/// The reason why a comparison or a repair could not be completed.
public struct VerificationObstacle: RawRepresentable, Hashable, Sendable {
    /// The reason as text.
    public let rawValue: String
    /// Creates a reason from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// This store or other replicas saved all the time. Verify again later.
    public static let busy = VerificationObstacle(rawValue: "busy")
    /// The zone does not accept the store's saves; ``SyncOutcome/blockedBy`` says why.
    public static let blocked = VerificationObstacle(rawValue: "blocked")
    /// The zone's checksum does not match its records. The operator of the server runs `anabranchd
    /// zone verify`.
    public static let zoneInconsistent = VerificationObstacle(rawValue: "zone-inconsistent")
    /// Records differ again after their repair. Report a bug, with the store's file.
    public static let notRepaired = VerificationObstacle(rawValue: "not-repaired")
    /// The zone's answers did not end. Report it to the server's operator.
    public static let endless = VerificationObstacle(rawValue: "endless")
}

extension SyncEngine {
    /// Compares the store's whole state with the zone's, and repairs the differences on request.
    ///
    /// First everything is exchanged, so that both sides hold the same change sets. Then checksums
    /// over records are compared, over ever smaller ranges where they differ. So the cost depends
    /// on the number of differences. Saves may continue meanwhile; if they never pause, the result
    /// is `busy`.
    ///
    /// Contexts are notified of repaired records as of any remote change. Values and links that
    /// only the store had are then in the conflict journal, with the kind `replacedByRepair`.
    ///
    /// - Parameter isRepairing: Whether records that differ take the zone's state.
    /// - Throws: The errors of ``synchronize()``, and ``SyncError`` with code `storeFailed` if
    ///   SQLite finds the file damaged.
    public func verify(repairing isRepairing: Bool = false) async throws -> Verification {
        Verification(try await run(verifying: isRepairing ? .repairing : .reporting))
    }
}
