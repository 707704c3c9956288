import AnabranchReplication
import AnabranchSQLite

/// The stamps of change sets, by local position.
///
/// They are read from this file's log. Rows that came by a snapshot or a repair may name change
/// sets that the log never had; `ab_stamp` gives these positions and holds their stamps.
///
/// A stamp that was read once is valid until an entry of the log is renamed or restamped; then
/// call ``forget()``.
final class LogStamps {
    private let connection: Connection
    private var known: [Int64: LocalStamp] = [:]
    private var recent = RecentPair<Int64, LocalStamp>()

    /// The stamp of the change set that the log gets at the end of the transaction.
    private var saved: (position: Int64, stamp: LocalStamp)?

    /// The position that the log gives to a change set at the end of the transaction.
    var savedPosition: Int64? { saved?.position }

    /// True if the stamp of a save that the log does not have was found by its time. A row may name
    /// it now that nothing named before.
    private(set) var hasFoundRemoved = false

    private static let maximumKnown = 1 << 16

    init(_ connection: Connection) { self.connection = connection }

    /// The stamp of the change set at a position.
    ///
    /// - Throws: ``StoreError`` `corrupt` if the log has no such position.
    subscript(position: Int64) -> LocalStamp {
        get throws {
            try recent.value(of: position) { try find(position) }
        }
    }

    private func find(_ position: Int64) throws -> LocalStamp {
        if let stamp = known[position] { return stamp }
        if let saved, saved.position == position { return saved.stamp }
        let stamp = try read(position)
        if known.count >= Self.maximumKnown { known.removeAll(keepingCapacity: true) }
        known[position] = stamp
        return stamp
    }

    /// Forgets all stamps that were read: entries of the log were renamed or restamped.
    func forget() {
        known = [:]
        recent = RecentPair()
    }

    /// Registers the stamp of a change set that the log gets at the end of its transaction.
    func record(_ stamp: LocalStamp, at position: Int64) { saved = (position, stamp) }

    /// The local position of the change set with a stamp; `nil` if there is none.
    ///
    /// - Parameter isZones: True if the change set must be one that the zone is known to hold. In
    ///   a forked history this file may have another one with the same stamp.
    func position(of stamp: LocalStamp, isZones: Bool = false) throws -> Int64? {
        if let saved, saved.stamp == stamp { return saved.position }
        let logged = LoggedStamps(connection: connection)
        if let position = try logged.placed(stamp) { return position }
        if !isZones, let position = try logged.unplaced(stamp) { return position }
        if let position = try removed(stamp) {
            hasFoundRemoved = true
            return position
        }
        return isZones ? nil : try logged.waiting(stamp)
    }

    private func removed(_ stamp: LocalStamp) throws -> Int64? {
        try connection.cached(
            "SELECT position FROM ab_stamp WHERE hlc = ? AND replica = ?", stamp
        ).first { try $0.amount(at: 0) }
    }

    private func read(_ position: Int64) throws -> LocalStamp {
        let statement = try connection.cached(
            """
            SELECT hlc, replica FROM ab_changeset WHERE position = ?1
            UNION ALL SELECT hlc, replica FROM ab_stamp WHERE position = ?1
            """, position)
        guard try statement.step() else {
            throw StoreError(
                .corrupt,
                "Can't tell when a row was written because the log has no entry \(position).")
        }
        return try statement.localStamp(at: 0)
    }
}
