import AnabranchReplication
import AnabranchSQLite

/// The values of small tables that most transactions leave as they are; `nil` where the table must
/// be read.
struct KnownTables {
    /// The epochs of the zone's log that the file knows.
    var epochs: Set<EpochID>?
    /// True if records wait for repair.
    var hasRecordsToRepair: Bool?
    /// True if change sets of bundles wait for others.
    var hasWaiting: Bool?
    /// The number of rejected saves that were not discarded.
    var rejectedCount: Int?
    /// The snapshot that has been received in part.
    var staged: StagedSnapshot??
    /// The least version of the app that may sync with the zone.
    var minimumVersion: Int64??

    /// The tables of all values, in the order of their bits.
    static let watched = [
        "ab_epoch", "ab_debt", "ab_waiting", "ab_rejected", "ab_snapshot", "ab_snapshot_chunk",
        "ab_deferred_record", "ab_deferred_cell",
    ]

    private static func bits(_ places: ClosedRange<Int>) -> TableSet {
        TableSet(rawValue: places.reduce(0) { $0 | 1 << UInt64($1) })
    }

    /// Forgets what depends on tables that were written.
    mutating func forget(_ written: TableSet) {
        guard !written.isEmpty else { return }
        if !written.isDisjoint(with: Self.bits(0...0)) { epochs = nil }
        if !written.isDisjoint(with: Self.bits(1...1)) { hasRecordsToRepair = nil }
        if !written.isDisjoint(with: Self.bits(2...2)) { hasWaiting = nil }
        if !written.isDisjoint(with: Self.bits(3...3)) { rejectedCount = nil }
        if !written.isDisjoint(with: Self.bits(4...5)) { staged = nil }
        if !written.isDisjoint(with: Self.bits(6...7)) { minimumVersion = nil }
    }
}
