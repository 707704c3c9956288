package import AnabranchReplication
import AnabranchSQLite

/// Writes a zone's file within the zone's one write transaction.
package final class SQLiteZoneWriter: SQLiteZoneReader, ZoneWriting {
    private let greatestOrdinal: Int64
    /// The counters as this transaction leaves them so far; `nil` if it has not read them.
    var counters: ZoneUse?
    /// The counters in the file.
    private(set) var writtenCounters: ZoneUse?

    init(_ connection: Connection, names: ZoneNameCache, greatestOrdinal: Int64) {
        self.greatestOrdinal = greatestOrdinal
        super.init(connection, names: names)
    }

    override package func use() throws -> ZoneUse {
        if let counters { return counters }
        let use = try storedUse()
        writtenCounters = use
        counters = use
        return use
    }

    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        let before = counters
        do {
            return try connection.savepoint(body)
        } catch {
            counters = before
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
        try recordHead(changeSet, author: author)
    }

    private func recordHead(_ changeSet: ChangeSet, author: Int64) throws {
        let head = try connection.cached(
            "UPDATE replica SET sequence = ?, origin = ? WHERE ordinal = ? AND sequence < ?")
        try head.bind(Int64(clamping: changeSet.dot.sequence), at: 1)
        try head.bind(changeSet.origin.bytes, at: 2)
        try head.bind(author, at: 3)
        try head.bind(Int64(clamping: changeSet.dot.sequence), at: 4)
        try head.run()
        let greatest = try connection.cached("UPDATE zone SET greatest = max(greatest, ?)")
        try greatest.bind(Int64(clamping: changeSet.timestamp.rawValue), at: 1)
        try greatest.run()
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
