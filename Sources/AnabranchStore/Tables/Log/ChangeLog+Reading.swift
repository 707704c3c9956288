import AnabranchReplication
import AnabranchSQLite

// Each entry of the log may have a payload of up to 8 MiB, and a store may have been offline for
// years. So code that reads many entries keeps their positions in memory, and one entry at a time.
extension ChangeLog {
    /// The positions of entries that are not in a prefix of the zone's log, oldest first.
    func positions(beyond place: CausalContext.Prefix) throws -> [Int64] {
        let statement = try connection.cached(
            """
            SELECT position FROM ab_changeset
            WHERE \(Self.isUnplaced) OR server_position > ? AND epoch = ? ORDER BY position
            """, Int64(bitPattern: place.position), place.epoch.bytes)
        return try positions(statement)
    }

    /// The positions of entries that the zone is not known to hold, oldest first.
    func unplacedPositions() throws -> [Int64] {
        try positions(
            connection.cached(
                """
                SELECT position FROM ab_changeset
                WHERE \(Self.isUnplaced) ORDER BY position
                """))
    }

    /// The positions of entries that the zone holds after a zone position, or is not known to hold,
    /// oldest first.
    func positions(placedAfter position: UInt64) throws -> [Int64] {
        let statement = try connection.cached(
            """
            SELECT position FROM ab_changeset
            WHERE \(Self.isUnplaced) OR server_position > ? ORDER BY position
            """, Int64(bitPattern: position))
        return try positions(statement)
    }

    private func positions(_ statement: Statement) throws -> [Int64] {
        var positions: [Int64] = []
        while try statement.step() { positions.append(statement.int64(at: 0)) }
        return positions
    }

    /// Calls the body for the entries at positions, in the given order. The log may change
    /// meanwhile.
    func forEach(_ positions: [Int64], _ body: (StoredLogEntry) throws -> Void) throws {
        for position in positions {
            if let entry = try entry(at: position) { try body(entry) }
        }
    }

    /// Calls the body for every entry after a local position, oldest first.
    func forEach(after position: Int64, _ body: (StoredLogEntry) throws -> Void) throws {
        var position = position
        while true {
            let page = try entries(
                after: position, limit: Self.pageCount, byteLimit: Self.pageBytes)
            guard let last = page.last else { return }
            for entry in page { try body(entry) }
            position = last.localPosition
        }
    }

    /// The greatest number of entries and bytes in memory at once; a larger entry is read alone.
    private static let pageCount = 100
    private static let pageBytes = 1 << 20
}
