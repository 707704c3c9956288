package import AnabranchReplication
import AnabranchSQLite

/// The differences between this file's state and a zone's.
package struct StateComparison: Sendable {
    /// The ranges that must be compared in more detail.
    package var ranges: [RecordRange] = []
    package var records: [RecordDifference] = []
    /// The number of rows with keys that belong to no record.
    package var orphanedRowCount = 0

    package var isEqual: Bool { ranges.isEmpty && records.isEmpty && orphanedRowCount == 0 }

    package init() {}
}

extension Store {
    /// Compares the zone's summaries of some ranges with one state of this file.
    ///
    /// - Parameters:
    ///   - summaries: The zone's summaries at a position of its log.
    ///   - place: That position.
    /// - Throws: ``StoreError`` `cursorMoved` if the file does not hold exactly the log up to that
    ///   position; a comparison is not possible then.
    package func compare(
        _ summaries: [(range: RecordRange, summary: RangeSummary)],
        at place: CausalContext.Prefix
    ) throws -> StateComparison {
        try read { reader in
            try reader.checkStands(at: place)
            let scan = try StateScan(reader)
            var comparison = StateComparison()
            for (range, summary) in summaries {
                switch summary {
                case .parts(let parts):
                    let (ranges, rest) = RangeSummary.ranges(of: parts, in: range)
                    for (range, part) in zip(ranges, parts)
                    where try scan.sum(of: range) != part.checksum {
                        comparison.ranges.append(range)
                    }
                    if let rest { comparison.ranges.append(rest) }
                case .records(let entries):
                    comparison.records += RecordDifference.between(
                        try scan.entries(of: range), entries)
                }
            }
            comparison.orphanedRowCount = try StrayRows(
                connection: reader.connection, schema: schema, replicas: reader.replicas()
            ).count()
            return comparison
        }
    }

    /// The checksum of the merged state, equal on every replica and zone that holds the same change
    /// sets.
    package func checksum() throws -> StateChecksum {
        try read { try StateScan($0).sum(of: .all) }
    }

    /// Queues records for the next repair, and removes rows with keys that belong to no record.
    package func queueForRepair(_ records: [RecordID]) throws {
        try write { transaction in
            let queue = RepairQueue(connection: transaction.connection)
            try queue.add(records.map { try transaction.localID(of: $0) })
            if !records.isEmpty { try queue.markUnexplained() }
            try StrayRows(
                connection: transaction.connection, schema: schema,
                replicas: transaction.replicas
            ).remove()
        }
    }

    /// The damage that SQLite finds in the file: in pages, in indexes, and rows that indexes lack.
    ///
    /// It reads the whole file. Such damage cannot be repaired record by record: restore a backup,
    /// or begin with a new store and sync it with the zone.
    package func damage() throws -> [String] { try readers.damage() }
}

extension StoreReader {
    fileprivate func checkStands(at place: CausalContext.Prefix) throws {
        let cursor = try StoreState.read(connection).cursor
        let beyond = try connection.cached(
            """
            SELECT EXISTS (SELECT 1 FROM ab_changeset WHERE \(ChangeLog.isUnplaced)
            OR server_position > ?1 AND epoch = ?2) OR EXISTS (SELECT 1 FROM ab_debt)
            """, Int64(bitPattern: place.position), place.epoch.bytes)
        guard cursor?.epoch == place.epoch, cursor?.position == place.position,
            try beyond.step(), beyond.int64(at: 0) == 0
        else {
            throw StoreError(
                .cursorMoved,
                "Can't compare with the zone as of position \(place.position) because the store "
                    + "is at another position, or holds more.")
        }
    }
}
