package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Records that wait for repair, in ascending order of their local IDs.
    package func recordsToRepair(limit: Int) throws -> [RecordID] {
        try read { reader in
            let replicas = try reader.replicas()
            return try RepairQueue(connection: reader.connection).first(limit)
                .compactMap(replicas.record)
        }
    }

    /// Replaces records by the zone's images. Then it applies every change set that was applied
    /// before and that the zone's answer did not include, in the order of this file's log.
    ///
    /// So unpushed writes are correct by construction, whatever had gone wrong before. If a
    /// verification queued the records (`queueForRepair(_:)`), values that the repair removes go to
    /// the conflict journal, because their origin is unknown. If change sets of the log were
    /// renamed or restamped, the journal gets the values that are lost by that
    /// (`ConflictRevision`).
    ///
    /// - Parameters:
    ///   - images: The complete state of each record at a position of the zone's log.
    ///   - place: That position, at or before the store's cursor.
    /// - Returns: The records with a changed state.
    /// - Throws: ``StoreError`` `cursorMoved` if the store's cursor is of another epoch or before
    ///   the position, or if the log begins after it: pull, then repair. `clockSkew`: a record
    ///   has a timestamp that no clock shows. Nothing was changed.
    package func repair(
        _ images: [RecordImage], at place: CausalContext.Prefix
    ) throws -> ChangedRecords {
        try write { transaction in
            guard let cursor = transaction.state.cursor, cursor.epoch == place.epoch,
                cursor.position >= place.position,
                place.position >= transaction.state.start?.position ?? 0
            else {
                throw StoreError(
                    .cursorMoved,
                    "Can't repair \(images.count) records as of position \(place.position) "
                        + "because the store's log does not reach it. Pull first.", path: path)
            }
            for image in images {
                try transaction.check(
                    image.greatestTimestamp, of: "the zone's record \(image.id)", .zone)
            }
            let log = transaction.log
            var changes = ChangeCollector()
            var repair = try RecordRepair(
                transaction, replacing: images,
                replaying: transaction.applied(log.positions(beyond: place)))
            let queue = RepairQueue(connection: transaction.connection)
            try repair.run(&changes, journaling: try queue.areUnexplained())
            if let since = try queue.since() {
                try ConflictRevision(transaction, of: images.map(\.id), since: since)
                    .run { try log.forEach(after: 0, $0) }
            }
            try queue.remove(images.map { try transaction.localID(of: $0.id) })
            var changed = try transaction.collected(changes)
            changed.conflicts = try transaction.writeConflicts()
            return changed
        }
    }
}

extension RecordImage {
    /// The greatest timestamp of the record's writes; zero if there are none.
    fileprivate var greatestTimestamp: HybridTimestamp {
        var greatest = incoming.flatMap(\.tags.tags).map(\.timestamp).max() ?? .zero
        guard let record else { return greatest }
        for cell in record.cells { greatest = max(greatest, cell.stamp.timestamp) }
        for link in record.links {
            for stamp in link.tags.tags { greatest = max(greatest, stamp.timestamp) }
        }
        return greatest
    }
}
