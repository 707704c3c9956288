package import AnabranchReplication

extension ZoneDraft {
    package func logState() -> LogState { row.logState }
    package func quotas() -> ZoneQuotas { row.quotas }
    /// The amounts that the zone uses.
    package func use() -> ZoneUse { row.use }
    /// The checksum of the merged state.
    package func checksum() -> StateChecksum { row.checksum }

    /// The place of the log's entry with this origin, under any dot; `nil` if there is none.
    package func place(ofOrigin origin: Digest) throws -> ZoneLogLocation? {
        if let known = places[origin] { return known.row }
        let place = try stored.place(ofOrigin: origin)
        places.take(place, of: origin)
        return place
    }

    package func place(of dot: Dot) throws -> ZoneLogLocation? {
        if let known = placesByDot[dot] { return known.row }
        let place = try stored.place(of: dot)
        placesByDot.take(place, of: dot)
        return place
    }

    /// The last change set that is held of a replica; `nil` if there is none.
    package func head(of replica: ReplicaID) throws -> ReplicaHead? {
        try replicaRow(of: replica)?.head
    }

    /// Appends an entry to the log and records it as the last one of its replica.
    package func append(_ entry: ZoneLogEntry) throws {
        try makeRoom()
        let (changeSet, cursor) = (entry.changeSet, entry.cursor)
        let dot = changeSet.dot
        let author = try ordinal(of: dot.replica)
        row.position = cursor.position
        row.running = ReplicaID(high: cursor.digestHigh, low: cursor.digestLow)
        row.greatestTimestamp = max(row.greatestTimestamp, changeSet.timestamp.rawValue)
        row.count(bytes: Int64(entry.bytes.count))
        let place = ZoneLogLocation(
            position: cursor.position, kind: changeSet.kind, dot: dot,
            timestamp: changeSet.timestamp, origin: changeSet.origin, digest: changeSet.digest)
        places.put(place, at: place.origin)
        placesByDot.put(place, at: dot)
        log.put(
            LogRow(
                position: cursor.position, kind: changeSet.kind, author: author,
                sequence: dot.sequence, timestamp: changeSet.timestamp.rawValue,
                origin: changeSet.origin, digest: changeSet.digest, running: row.running,
                changeSet: entry.bytes), at: cursor.position)
        guard dot.sequence > (try head(of: dot.replica)?.sequence ?? 0) else { return }
        let head = ReplicaHead(sequence: dot.sequence, origin: changeSet.origin)
        replicas.put(ReplicaRow(ordinal: author, id: dot.replica, head: head), at: dot.replica)
    }

    /// Removes the payloads of the log's entries up to a position; their names stay.
    package func forgetChangeSets(through position: UInt64) throws {
        try send()
        let removed = try stored.forgetChangeSets(after: row.startPosition, through: position)
        row.count(bytes: -removed)
        row.startPosition = max(row.startPosition, position)
    }

    /// Records the positions up to which replicas have acknowledged the log.
    package func acknowledge(_ positions: [ReplicaID: Acknowledgement]) {
        for (replica, position) in positions { acknowledgements.put(position, at: replica) }
    }

    // MARK: The zone's row

    package func setQuotas(_ quotas: ZoneQuotas) { row.quotas = quotas }

    /// Replaces the running counters of bytes and records.
    package func setUse(_ counts: ZoneCounts) {
        row.bytes = counts.bytes
        row.records = counts.records
    }

    /// Sets the bytes that were pushed on a day, in days since 1970-01-01 UTC.
    package func setPushed(_ bytes: Int64, on day: Int64) {
        row.day = day
        row.dayBytes = bytes
    }

    /// Counts bytes that were pushed on a day, in days since 1970-01-01 UTC.
    func countPushed(_ bytes: Int, on today: Int64) {
        setPushed(use().amount(of: .dailyBytes, on: today) + Int64(bytes), on: today)
    }

    /// Stores another checksum of the merged state.
    package func setChecksum(_ checksum: StateChecksum) { row.checksum = checksum }

    // MARK: Parts of saves

    /// Appends a piece to a staged part, or starts to stage it.
    package func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        try send()
        row.count(bytes: Int64(piece.count))
        try stored.append(piece, to: part, at: start, wallMilliseconds: wallMilliseconds)
    }

    /// Records complete parts as those of the save at a position of the log.
    package func putInLog(_ parts: [SavePart], at position: UInt64) throws {
        guard !parts.isEmpty else { return }
        try send()
        try stored.putInLog(Set(parts), at: position)
    }

    /// Removes staged parts, unless the log lists them.
    package func dropStaged(_ parts: [SavePart]) throws {
        guard !parts.isEmpty else { return }
        try send()
        row.count(bytes: -(try stored.dropStaged(Set(parts))))
    }

    /// Removes the staged parts to which no client has added since a time.
    package func dropStaged(untouchedSince wallMilliseconds: Int64) throws {
        try dropStaged(try stored.staged(untouchedSince: wallMilliseconds))
    }
}
