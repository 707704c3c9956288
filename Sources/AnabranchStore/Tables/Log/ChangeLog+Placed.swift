import AnabranchReplication
import AnabranchSQLite

// The zone's log has most entries of a store, in about the order of this file's log. So a mark in
// the row of the state tells where the others begin: an index of them would be a page of every
// save.
extension ChangeLog {
    /// The condition that the zone is not known to hold an entry. Reading stops looking at entries
    /// that the zone holds at the mark.
    static let isUnplaced = """
        (position > (SELECT placed FROM ab_state WHERE id = 1) AND server_position IS NULL)
        """

    /// Moves the mark to before the first entry that the zone is not known to hold, when the
    /// transaction ends.
    ///
    /// Call this at the end of a transaction in which entries got their places. Nothing depends on
    /// it except time.
    func raisePlaced() throws {
        guard let known, known.hasUnplaced != false || known.placed < known.lastPosition else {
            return
        }
        known.setFirstUnplaced(try firstUnplaced())
    }

    /// The position of the first entry that the zone is not known to hold; `nil` if there is none.
    func firstUnplaced() throws -> Int64? {
        try connection.cached(
            "SELECT position FROM ab_changeset WHERE \(Self.isUnplaced) ORDER BY position LIMIT 1"
        ).first { $0.int64(at: 0) }
    }

    /// The greatest position in the zone's log that an entry has; 0 if none has one.
    func greatestPlace() throws -> UInt64 {
        try connection.cached(
            "SELECT coalesce(max(server_position), 0) AS server_position FROM ab_changeset"
        ).first { try $0.zonePosition(at: 0) } ?? 0
    }

    /// The epochs of the entries that the zone holds after a position.
    func epochs(after position: UInt64) throws -> Set<EpochID> {
        let statement = try connection.cached(
            "SELECT DISTINCT epoch FROM ab_changeset WHERE server_position > ?",
            Int64(bitPattern: position))
        var epochs: Set<EpochID> = []
        while try statement.step() {
            if let epoch = EpochID(bytes: statement.bytes(at: 0)) { epochs.insert(epoch) }
        }
        return epochs
    }

    /// Moves the mark before an entry that has lost its place.
    func lowerPlaced(below position: Int64) throws {
        try UnorderedEntries(connection: connection).includeAll()
        try connection.run(
            "UPDATE ab_state SET placed = min(placed, ?) WHERE id = 1", .integer(position - 1))
        known?.lowerPlaced(below: position)
    }
}
