package import AnabranchReplication
import AnabranchSQLite

/// Writes a zone's file within the zone's one write transaction.
///
/// Every entry changes the head of its replica and the counters and the checksum of the zone. These
/// are kept in memory, and written at the end or before they are read.
package final class SQLiteZoneWriter: SQLiteZoneReader, ZoneWriting {
    private let greatestOrdinal: Int64
    var kept = Kept()

    /// The fields of the zone's row and the head that may differ from those in the file.
    struct Kept {
        /// The counters as this transaction leaves them so far; `nil` if it has not read them.
        var use: ZoneUse?
        /// The checksum as this transaction leaves it so far; `nil` if it has not read it.
        var checksum: StateChecksum?
        /// The greatest timestamp of the entries that were appended.
        var greatest: Int64 = 0
        /// True if a field of the zone's row was changed since it was written.
        var isRowChanged = false
        /// The replica that the last entries are of, by its ordinal, and its head.
        var head: (author: Int64, head: ReplicaHead)?
    }

    init(_ connection: Connection, names: ZoneNameCache, greatestOrdinal: Int64) {
        self.greatestOrdinal = greatestOrdinal
        super.init(connection, names: names)
    }

    override package func use() throws -> ZoneUse {
        if let use = kept.use { return use }
        let use = try super.use()
        kept.use = use
        return use
    }

    override package func checksum() throws -> StateChecksum {
        if let checksum = kept.checksum { return checksum }
        let checksum = try super.checksum()
        kept.checksum = checksum
        return checksum
    }

    override package func logState() throws -> LogState {
        try writeKept()
        return try super.logState()
    }

    override package func head(of replica: ReplicaID) throws -> ReplicaHead? {
        try writeKept()
        return try super.head(of: replica)
    }

    /// Writes what was kept in memory.
    func writeKept() throws {
        if let (author, head) = kept.head {
            let row = try connection.cached(
                "UPDATE replica SET sequence = ?, origin = ? WHERE ordinal = ? AND sequence < ?")
            try row.bind(Int64(clamping: head.sequence), at: 1)
            try row.bind(head.origin.bytes, at: 2)
            try row.bind(author, at: 3)
            try row.bind(Int64(clamping: head.sequence), at: 4)
            try row.run()
            kept.head = nil
        }
        guard kept.isRowChanged else { return }
        let row = try connection.cached(
            """
            UPDATE zone SET bytes = ?, records = ?, day = ?, day_bytes = ?,
                greatest = max(greatest, ?), checksum = coalesce(?, checksum)
            """)
        let use = try use()
        for (index, value) in [use.bytes, use.records, use.day, use.dayBytes].enumerated() {
            try row.bind(value, at: index + 1)
        }
        try row.bind(kept.greatest, at: 5)
        if let checksum = kept.checksum { try row.bind(checksum.bytes, at: 6) }
        try row.run()
        kept.isRowChanged = false
    }

    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        let before = kept
        do {
            return try connection.savepoint(body)
        } catch {
            kept = before
            names.forget()
            throw error
        }
    }

    package func append(_ entry: ZoneLogEntry) throws {
        let changeSet = entry.changeSet
        let author = try ordinal(of: changeSet.dot.replica)
        let log = try connection.cached(
            """
            INSERT INTO log(position, kind, replica, sequence, timestamp, origin, digest, running,
                change_set) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try log.bind(Int64(clamping: entry.cursor.position), at: 1)
        try log.bind(Int64(changeSet.kind.rawValue), at: 2)
        try log.bind(author, at: 3)
        try log.bind(Int64(clamping: changeSet.dot.sequence), at: 4)
        try log.bind(Int64(clamping: changeSet.timestamp.rawValue), at: 5)
        try log.bind(changeSet.origin.bytes, at: 6)
        try log.bind(changeSet.digest.bytes, at: 7)
        let running = ReplicaID(high: entry.cursor.digestHigh, low: entry.cursor.digestLow)
        try log.bind(running.bytes, at: 8)
        try log.bind(entry.bytes, at: 9)
        try log.run()
        try count(bytes: entry.bytes.count)
        try keepHead(
            ReplicaHead(sequence: changeSet.dot.sequence, origin: changeSet.origin), of: author)
        kept.greatest = max(kept.greatest, Int64(clamping: changeSet.timestamp.rawValue))
        kept.isRowChanged = true
    }

    private func keepHead(_ head: ReplicaHead, of author: Int64) throws {
        if let last = kept.head {
            guard last.author == author else {
                try writeKept()
                kept.head = (author, head)
                return
            }
            guard last.head.sequence < head.sequence else { return }
        }
        kept.head = (author, head)
    }

    package func forgetChangeSets(through position: UInt64) throws {
        let last = SQLiteValue.integer(Int64(clamping: position))
        let kinds = [LogEntryKind.save, .saveInParts].map {
            SQLiteValue.integer(Int64($0.rawValue))
        }
        let forgotten = "position > (SELECT start FROM zone) AND position <= ? AND kind IN (?, ?)"
        try uncount(
            sumOf: "length(change_set)", "FROM log WHERE \(forgotten)", last, kinds[0], kinds[1])
        try connection.run(
            "UPDATE log SET change_set = x'' WHERE \(forgotten)", last, kinds[0], kinds[1])
        try forgetParts(through: position)
        try connection.run("UPDATE zone SET start = max(start, ?)", last)
    }

    package func acknowledge(_ positions: [ReplicaID: Acknowledgement]) throws {
        let row = try connection.cached(
            "INSERT OR REPLACE INTO acknowledgement(replica, position, seen) VALUES (?, ?, ?)")
        for (replica, acknowledgement) in positions {
            try row.bind(replica.bytes, at: 1)
            try row.bind(Int64(clamping: acknowledgement.position), at: 2)
            try row.bind(acknowledgement.seen, at: 3)
            try row.run()
        }
    }

    package func ordinal(of replica: ReplicaID) throws -> Int64 {
        if let ordinal = try knownOrdinal(of: replica) { return ordinal }
        let ordinal = try connection.integer("SELECT coalesce(max(ordinal) + 1, 0) FROM replica")
        guard ordinal <= greatestOrdinal else {
            throw StorageError(
                .tooManyReplicas,
                "Can't accept a change of replica \(replica) because the zone has "
                    + "\(ordinal) replicas already.")
        }
        let row = try connection.cached("INSERT INTO replica(ordinal, id) VALUES (?, ?)")
        try row.bind(ordinal, at: 1)
        try row.bind(replica.bytes, at: 2)
        try row.run()
        names.insert(replica, ordinal: ordinal)
        try count { $0.replicas = max($0.replicas, ordinal + 1) }
        return ordinal
    }

    package func number(ofEntity name: WireName) throws -> Int64 {
        if let number = names.entities[name] { return number }
        let bytes = SQLiteValue.blob(Array(name.string.utf8))
        try connection.run("INSERT OR IGNORE INTO entity(name) VALUES (?)", bytes)
        if connection.changes > 0 { try count(bytes: name.countedBytes) }
        let found = try connection.firstValue("SELECT number FROM entity WHERE name = ?", bytes)
        guard case .integer(let number)? = found, number >= 0 else {
            throw damaged("the number of an entity is missing")
        }
        names.insert(name, entity: number)
        return number
    }

    package func number(ofProperty property: WireProperty) throws -> Int64 {
        if let number = names.propertyNumbers[property] { return number }
        let name = SQLiteValue.blob(Array(property.name.string.utf8))
        let type = SQLiteValue.integer(Int64(property.type.rawValue))
        let rule = SQLiteValue.integer(Int64(property.rule.rawValue))
        try connection.run(
            "INSERT OR IGNORE INTO property(name, type, rule) VALUES (?, ?, ?)", name, type, rule)
        if connection.changes > 0 { try count(bytes: property.name.countedBytes) }
        let found = try connection.firstValue(
            "SELECT number FROM property WHERE name = ? AND type = ? AND rule = ?", name, type,
            rule)
        guard case .integer(let number)? = found, number >= 0 else {
            throw damaged("the number of a property is missing")
        }
        names.insert(property, number: number)
        return number
    }
}
