package import AnabranchReplication

/// What a verification does about what differs.
package enum VerificationMode: Hashable, Sendable { case reporting, repairing }

/// What a zone has in a range.
package struct ComparedRange: Hashable, Sendable {
    package var range: RecordRange
    package var summary: RangeSummary

    package init(range: RecordRange, summary: RangeSummary) {
        self.range = range
        self.summary = summary
    }
}

/// How far the comparison of a store with its zone has come.
///
/// First the sums of the whole states are compared. Where they differ, the ranges that differ are
/// looked into, the deepest first, until single records are named; then, where that is wanted,
/// these are repaired, and the whole is compared again. Every answer narrows what is left, or
/// counts as a miss, and rounds, misses and requests are bounded.
package struct VerificationProgress: Sendable {
    package enum Ending: Hashable, Sendable {
        case equal
        case differing
        case undecided(VerificationObstacle)
    }

    let mode: VerificationMode
    /// What is looked into in this round, the next last; `nil` while the whole is compared.
    var ranges: [RecordRange]?
    /// What the zone has, until the store is there.
    var answer: (position: UInt64, compared: [ComparedRange])?
    /// Descents that were begun.
    var rounds = 0
    /// In a row.
    var misses = 0
    var requests = 0
    /// Of the zone's state when it was last told.
    package internal(set) var checksum = StateChecksum.zero
    /// Whether the present round has found something.
    var hasFound = false
    /// What was found in the first round, in the order of identities as far as they are kept.
    package internal(set) var differences: [RecordDifference] = []
    package internal(set) var differenceCount = 0
    package internal(set) var strayCount = 0
    package internal(set) var ending: Ending?

    /// Differences that are kept by name.
    static let mostKept = 1000

    init(_ mode: VerificationMode) { self.mode = mode }

    mutating func note(_ records: [RecordDifference]) {
        guard !records.isEmpty else { return }
        hasFound = true
        guard rounds == 1 else { return }
        differenceCount += records.count
        differences += records.prefix(max(Self.mostKept - differences.count, 0))
    }
}
