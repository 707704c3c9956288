import AnabranchReplication
import AnabranchSQLite

/// What is known of small tables that most transactions leave as they are, `nil` where a table must
/// be read.
struct KnownTables {
    /// The epochs of the zone's log that the file knows.
    private(set) var epochs: Set<EpochID>?
    /// True if records wait for repair.
    private(set) var hasRecordsToRepair: Bool?
    /// True if change sets of bundles wait for others.
    private(set) var hasWaiting: Bool?
    /// The number of rejected saves that were not discarded.
    private(set) var rejectedCount: Int?
    /// The snapshot that has been received in part.
    private(set) var staged: StagedSnapshot??
    /// The least version of the app that may sync with the zone.
    private(set) var minimumVersion: Int64??

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

    /// Reads what is not known, within a transaction.
    mutating func readRest(_ connection: Connection) throws {
        epochs = try epochs ?? Self.epochs(connection)
        hasRecordsToRepair =
            try hasRecordsToRepair ?? !RepairQueue(connection: connection).first(1).isEmpty
        hasWaiting = try hasWaiting ?? !WaitingChangeSets(connection).isEmpty
        rejectedCount = try rejectedCount ?? RejectedSaves(connection: connection).count()
        staged = try staged ?? .some(SnapshotStage(connection: connection).staged())
        minimumVersion =
            try minimumVersion
            ?? .some(
                ZoneSettingRows(connection: connection).greatest(ZoneSettings.minimumVersion))
    }

    private static func epochs(_ connection: Connection) throws -> Set<EpochID> {
        let statement = try connection.cached("SELECT id FROM ab_epoch")
        var epochs: Set<EpochID> = []
        while try statement.step() {
            if let epoch = EpochID(bytes: statement.bytes(at: 0)) { epochs.insert(epoch) }
        }
        return epochs
    }
}
