import AnabranchReplication
import AnabranchSQLite

/// The zone positions of the change sets in this file's log.
struct ZonePositions {
    private let transaction: StateTransaction

    private var connection: Connection { transaction.connection }

    init(_ transaction: StateTransaction) { self.transaction = transaction }

    func record(_ place: CausalContext.Prefix, ofSetAt localPosition: Int64) throws {
        try connection.run(
            "UPDATE ab_changeset SET epoch = ?, server_position = ? WHERE position = ?",
            .blob(place.epoch.bytes), .integer(Int64(bitPattern: place.position)),
            .integer(localPosition))
        transaction.knownLog.place(place.position)
        transaction.journal.forgetPlaces()
    }

    /// Records the position of an entry, unless the log has the entry in another form by now, or
    /// with another context. The entry itself is not read.
    ///
    /// - Returns: False if nothing was recorded. The entry may still be the same.
    func record(_ place: CausalContext.Prefix, ofUnchanged entry: StoredLogEntry) throws -> Bool {
        let set = entry.changeSet
        guard let ordinal = transaction.replicas.ordinal(of: set.dot.replica) else { return false }
        let statement = try connection.cached(
            """
            UPDATE ab_changeset SET epoch = ?, server_position = ? WHERE position = ?
            AND kind = ? AND replica = ? AND seq = ? AND context IS ? AND digest IS ?
            """, place.epoch.bytes, Int64(bitPattern: place.position), entry.localPosition,
            Int64(set.kind.rawValue), ordinal, Int64(bitPattern: set.dot.sequence),
            ChangeLog.stored(set.context))
        // Whatever replaces the form of an entry stores its digest.
        try statement.bind(ChangeLog.isDigestComputed(of: set) ? nil : set.digest.bytes, at: 8)
        try statement.run()
        guard connection.changes == 1 else { return false }
        transaction.knownLog.place(place.position)
        transaction.journal.forgetPlaces()
        return true
    }

    func forget(ofSetAt localPosition: Int64) throws {
        try connection.run(
            "UPDATE ab_changeset SET epoch = NULL, server_position = NULL WHERE position = ?",
            .integer(localPosition))
        try transaction.log.lowerPlaced(below: localPosition)
        transaction.journal.forgetPlaces()
    }
}
