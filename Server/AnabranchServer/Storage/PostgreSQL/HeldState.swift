import AnabranchReplication

/// A row of the merged state with the position since which the record is dead; zero if it is alive.
struct HeldRow: Hashable, Sendable {
    var row: StateRow
    var dead: Int64
}

/// A record of the database, without its values.
struct HeldRecord: Hashable, Sendable {
    var entity: Int64
    /// The bytes of the values and of the delete mark.
    var byteCount: Int64
    /// The position since which the record is dead; zero if it is alive.
    var dead: Int64
}

extension HeldRecord {
    init(_ held: HeldRow) {
        self.init(entity: held.row.entity, byteCount: held.row.countedBytes, dead: held.dead)
    }
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
    private(set) var records: [RecordKey: HeldRecord?] = [:]
    /// The values of some of the records.
    private(set) var rows: [RecordKey: StateRow] = [:]
    private(set) var tags: [LinkKey: [UInt8]?] = [:]
    /// About the number of bytes in the rows and tags.
    private var valueBytes = 0

    /// The approximate memory of an entry beside its values.
    static let bytesPerEntry = 128

    /// About the number of bytes in all of these.
    var byteCount: Int {
        let count = places.count + placesByDot.count + heads.count + absentReplicas.count
        return valueBytes + Self.bytesPerEntry * (count + records.count + tags.count)
    }

    /// Takes rows that were read with `PostgreSQLZoneReader.sizedRows`.
    ///
    /// - Parameter keys: The keys that were asked for.
    mutating func take(_ rows: PostgreSQLRows, of keys: some Sequence<RecordKey>) throws {
        for key in keys { records.updateValue(nil, forKey: key) }
        for row in rows {
            let record = HeldRecord(
                entity: try row.number(at: 1), byteCount: try row.amount(at: 7),
                dead: row.int64(at: 6))
            let key = RecordKey(rawValue: row.int64(at: 0))
            records[key] = .some(record)
            guard !row.isNull(at: 4) else { continue }
            self.rows[key] = try row.stateRow()
            valueBytes += Int(record.byteCount)
        }
    }

    /// Takes the tags of a link; `nil` if the database has no such link.
    mutating func take(_ tags: [UInt8]?, of link: LinkKey) {
        self.tags.updateValue(tags, forKey: link)
        valueBytes += tags?.count ?? 0
    }

    /// Takes changes that are sent to the database.
    mutating func take(_ changes: ZoneChanges) {
        for (origin, place) in changes.places { places[origin] = .some(place) }
        for (dot, place) in changes.placesByDot { placesByDot[dot] = .some(place) }
        for (replica, head) in changes.heads { heads[replica] = .some(head) }
        absentReplicas.subtract(changes.ordinals.keys)
        for (key, row) in changes.rows {
            records.updateValue(row.map(HeldRecord.init), forKey: key)
            rows[key] = row?.row
            valueBytes += Int(row?.row.countedBytes ?? 0)
        }
        for (link, tags) in changes.tags { take(tags, of: link) }
    }
}
