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

    /// Moves the mark to the last entry before the first one that the zone is not known to hold.
    ///
    /// Call this at the end of a transaction in which entries got their places. Nothing depends on
    /// it except time.
    func raisePlaced() throws { try connection.run(CoreTables.raisingPlaced) }

    /// Moves the mark before an entry that has lost its place.
    func lowerPlaced(below position: Int64) throws {
        try UnorderedEntries(connection: connection).includeAll()
        try connection.run(
            "UPDATE ab_state SET placed = min(placed, ?) WHERE id = 1", .integer(position - 1))
    }
}
