package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Records that have to be repaired before the store is what its log says.
    package func debts(limit: Int) throws -> [RecordID] {
        try read { reader in
            let replicas = try reader.replicas()
            return try Debts(connection: reader.connection).first(limit)
                .compactMap(replicas.record)
        }
    }

    /// Puts records back to what the zone says that they are, then applies to them again every
    /// set that the zone's answer did not know, in the order of this file's log.
    ///
    /// So unpushed writes come out right by construction, whatever had gone wrong before. Where
    /// a verification has made the debts (``owe(_:)``), what is taken out of the file goes to the
    /// conflict journal, because it is not known how it came there. Where sets of the log have got
    /// other forms, the journal gets what is lost by those (``ConflictRevision``).
    ///
    /// - Parameters:
    ///   - images: What the zone's state is at a position of its log, of each record the whole.
    ///   - place: That position, at or before the store's cursor.
    /// - Returns: The records whose state has changed.
    /// - Throws: ``StoreError`` `cursorMoved` where the store's cursor is of another epoch or
    ///   before the position: pull, then repair. Nothing was changed.
    package func repair(
        _ images: [RecordImage], at place: CausalContext.Prefix
    ) throws -> ChangedRecords {
        try write { transaction in
            guard let cursor = transaction.state.cursor, cursor.epoch == place.epoch,
                cursor.position >= place.position
            else {
                throw StoreError(
                    .cursorMoved,
                    "Can't repair \(images.count) records as of position \(place.position) because "
                        + "the store is not there yet.", path: path)
            }
            let log = transaction.log
            var changes = ChangeCollector()
            var repair = try RepairOperation(
                transaction, replacing: images, replaying: try log.positions(beyond: place))
            let debts = Debts(connection: transaction.connection)
            try repair.run(&changes, journaling: try debts.areUnexplained())
            if let since = try debts.since() {
                try ConflictRevision(transaction, of: images.map(\.id), since: since)
                    .run { try log.forEach(after: 0, $0) }
            }
            try debts.settle(images.map { try transaction.localID(of: $0.id) })
            var changed = try transaction.collected(changes)
            changed.conflicts = try transaction.settleConflicts()
            return changed
        }
    }
}
