import AnabranchReplication

/// A row of the merged state with the position since which the record is dead; zero if it is alive.
struct HeldRow: Hashable, Sendable {
    var row: StateRow
    var dead: Int64
}

/// The parts of a zone in the database that a transaction knows, because it has read or sent them.
///
/// An entry with the value `nil` says that the database has no such row.
struct HeldState {
    var places: [Digest: ZoneLogLocation?] = [:]
    var placesByDot: [Dot: ZoneLogLocation?] = [:]
    var heads: [ReplicaID: ReplicaHead?] = [:]
    /// Replicas that the zone does not know.
    var absentReplicas: Set<ReplicaID> = []
    var rows: [RecordKey: HeldRow?] = [:]
    var entities: [RecordKey: Int64?] = [:]
    var tags: [LinkKey: [UInt8]?] = [:]

    /// Takes rows that were read.
    ///
    /// - Parameter keys: The keys that were asked for.
    mutating func take(_ rows: PostgreSQLRows, of keys: some Sequence<RecordKey>) throws {
        for key in keys { self.rows.updateValue(nil, forKey: key) }
        for row in rows {
            let stateRow = try row.stateRow()
            self.rows[stateRow.key] = .some(HeldRow(row: stateRow, dead: row.int64(at: 6)))
        }
    }

    /// Takes changes that are sent to the database.
    mutating func take(_ changes: ZoneChanges) {
        for (origin, place) in changes.places { places[origin] = .some(place) }
        for (dot, place) in changes.placesByDot { placesByDot[dot] = .some(place) }
        for (replica, head) in changes.heads { heads[replica] = .some(head) }
        absentReplicas.subtract(changes.ordinals.keys)
        for (key, row) in changes.rows {
            rows.updateValue(row, forKey: key)
            entities.updateValue(row?.row.entity, forKey: key)
        }
        for (link, tags) in changes.tags { self.tags.updateValue(tags, forKey: link) }
    }
}
