package import AnabranchReplication

/// The reaction of a verification to differences: report them, or repair them too.
package enum VerificationMode: Hashable, Sendable { case reporting, repairing }

/// The progress of comparing a store with its zone.
///
/// First the checksums of the whole states are compared. If they differ, the differing ranges are
/// compared in ever smaller parts, the smallest first, until single records are found. On request
/// these are repaired, and the whole is compared again. Every answer reduces the remaining ranges
/// or counts as a miss. Rounds, misses and requests are limited.
package struct VerificationProgress: Sendable {
    /// The result of a comparison.
    package enum Ending: Hashable, Sendable {
        case equal
        case differing
        case inconclusive(VerificationObstacle)
    }

    /// The zone's summaries of ranges, and the position in its log to which they belong.
    struct Answer: Sendable {
        var position: UInt64
        var ranges: [ComparedRange]
    }

    let mode: VerificationMode
    /// The ranges that remain in this round, the next one last. It is `nil` while the whole states
    /// are compared.
    var ranges: [RecordRange]?
    /// The zone's answer, until the store has reached its position.
    var answer: Answer?
    /// The number of rounds that were begun.
    var rounds = 0
    /// The number of misses in a row.
    var misses = 0
    /// The number of checksum requests so far.
    var requests = 0
    /// The last known checksum of the zone's state.
    package internal(set) var checksum = StateChecksum.zero
    /// Indicates whether the present round has found a difference.
    var hasFound = false
    /// The differences found in the first round, as many as are kept, in the order of identities.
    package internal(set) var differences: [RecordDifference] = []
    /// The number of all differences found in the first round.
    package internal(set) var differenceCount = 0
    /// The number of rows in the store's file that belong to no record.
    package internal(set) var orphanedRowCount = 0
    /// The result, or `nil` while the comparison goes on.
    package internal(set) var ending: Ending?

    /// The number of differences that are kept by name.
    static let maximumKept = 1000

    init(_ mode: VerificationMode) { self.mode = mode }

    /// Records differences that were found. Only those of the first round are kept.
    mutating func add(_ records: [RecordDifference]) {
        guard !records.isEmpty else { return }
        hasFound = true
        guard rounds == 1 else { return }
        differenceCount += records.count
        differences += records.prefix(max(Self.maximumKept - differences.count, 0))
    }
}
