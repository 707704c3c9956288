import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The writes that this file has made or received since it last followed the zone's log, while a
/// snapshot replaces every record.
///
/// No merge compares them with what the zone got in the meantime: a loaded state only shows the
/// result. So the loaded state is compared with the former one, which a reader still sees because
/// the load is not committed. Those that showed before and do not show any more go to the conflict
/// journal. The memory that this takes grows with what is lost, not with what is written.
///
/// Whether the author of the replacing write had seen the lost one is not known, because the zone
/// no longer has the change sets. The journal has such a value in any case, unless both writes are
/// of one replica.
struct UnmergedWrites {
    private let transaction: StateTransaction
    /// The local positions of the entries with these writes.
    private let positions: [Int64]

    private struct Register: Hashable {
        let record: RecordID
        let property: WireProperty
    }

    /// One write of an entry.
    private struct Write {
        let record: RecordID
        let property: WireProperty
        /// The right end of a link.
        var right: RecordID?
        let stamp: Stamp
        let entity: WireName
        let value: PropertyValue
    }

    /// The contents of the former state that the loaded one lacks.
    private struct Losses {
        /// The records that are gone, and that one of the writes has changed or linked.
        var records: Set<RecordID> = []
        /// The last addition to each counter of these records. It stands for the held number.
        var additions: [Register: Stamp] = [:]
        /// The stamps of all entries.
        var stamps: Set<Stamp> = []

        func isWrite(_ cell: CanonicalRecord.Cell, of record: RecordID) -> Bool {
            stamps.contains(cell.stamp) || addition(to: cell, of: record) != nil
        }

        func addition(to cell: CanonicalRecord.Cell, of record: RecordID) -> Stamp? {
            additions[Register(record: record, property: cell.property)]
        }
    }

    /// Notes where the writes are, before the load changes the cursor.
    init(_ transaction: StateTransaction) throws {
        self.transaction = transaction
        positions =
            if let cursor = transaction.state.cursor {
                try transaction.log.positions(
                    beyond: CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position))
            } else {
                try transaction.log.unplacedPositions()
            }
    }

    /// Records the writes that the loaded state has discarded, and what else was lost with records
    /// that it does not have.
    func recordLosses() throws {
        guard !positions.isEmpty else { return }
        try transaction.store.read(isCounted: false) { reader in
            let former = FormerRecords(
                try CanonicalRows(reader, replicas: try reader.replicas()), transaction)
            var losses = Losses()
            let states = try RecordStates(transaction)
            var last: (record: RecordID, state: RecordIndex?)?
            losses.stamps = try forEachWrite { write in
                if last?.record != write.record {
                    last = (write.record, try states[write.record].map(RecordIndex.init))
                }
                let state = last?.state
                guard !Self.shows(write, in: state),
                    Self.shows(write, in: try former[write.record])
                else { return }
                if let right = write.right, try states[right] == nil {
                    losses.records.insert(right)
                }
                guard let state else {
                    losses.records.insert(write.record)
                    if write.property.rule == .counter {
                        let register = Register(record: write.record, property: write.property)
                        losses.additions[register] = write.stamp
                    }
                    return
                }
                try record(write, discardedBy: state)
            }
            for record in losses.records.sorted() {
                if let contents = try former[record] { try self.record(contents.record, losses) }
            }
        }
    }

    /// Records a write to a record that the loaded state has.
    private func record(_ write: Write, discardedBy state: RecordIndex) throws {
        let winner = state.latest(of: write.property)
        guard write.property.rule.loses, winner?.value != write.value,
            // A replica has seen its own earlier writes.
            winner?.stamp.replica != write.stamp.replica
        else { return }
        try transaction.journal.record(
            DiscardedWrite(
                kind: write.right == nil ? .concurrentWrite : .linkToDeleted,
                record: try transaction.localID(of: write.record), entity: write.entity,
                property: write.property, value: write.value,
                lost: try transaction.localStamp(write.stamp),
                winner: try winner.map { try transaction.localStamp($0.stamp) },
                winningValue: winner?.value))
    }

    /// Records the contents of a record that the loaded state does not have.
    private func record(_ contents: CanonicalRecord, _ losses: Losses) throws {
        for cell in contents.cells {
            try record(
                losses.isWrite(cell, of: contents.id) ? .deletedWhileWritten : .deletedWithRecord,
                contents, cell.property, cell.value,
                losses.addition(to: cell, of: contents.id) ?? cell.stamp)
        }
        for link in contents.links {
            for tag in link.tags.tags {
                try record(.linkToDeleted, contents, link.property, .reference(link.right), tag)
            }
        }
    }

    private func record(
        _ kind: ConflictEntry.Kind, _ record: CanonicalRecord, _ property: WireProperty,
        _ value: PropertyValue,
        _ stamp: Stamp
    ) throws {
        try transaction.journal.record(
            DiscardedWrite(
                kind: kind, record: try transaction.localID(of: record.id), entity: record.entity,
                property: property, value: value, lost: try transaction.localStamp(stamp)))
    }

    /// True if the state of a record includes a write. An addition to a counter is included as
    /// long as the record is held.
    private static func shows(_ write: Write, in state: RecordIndex?) -> Bool {
        guard let state else { return false }
        if let right = write.right {
            return state.tags(of: write.property, to: right).contains(write.stamp)
        }
        return write.property.rule == .counter
            || state.holds(write.property, writtenBy: write.stamp)
    }

    /// Calls the body for each write.
    ///
    /// - Returns: The stamps of the entries.
    private func forEachWrite(_ body: (Write) throws -> Void) throws -> Set<Stamp> {
        var stamps: Set<Stamp> = []
        try transaction.log.forEach(positions) { entry in
            let set = entry.changeSet
            stamps.insert(set.stamp)
            do {
                try set.forEachBlock(PartTable(transaction.connection)) { block in
                    try Self.forEachWrite(in: block, by: set.stamp, body)
                }
            } catch is ChangeSetDecodingError {}  // It was not applied.
        }
        return stamps
    }

    private static func forEachWrite(
        in block: ChangeBlock, by stamp: Stamp, _ body: (Write) throws -> Void
    ) throws {
        func visit(
            _ record: RecordID, _ property: WireProperty, _ entity: WireName,
            _ value: PropertyValue,
            right: RecordID? = nil
        ) throws {
            try body(
                Write(
                    record: record, property: property, right: right, stamp: stamp, entity: entity,
                    value: value))
        }
        switch block {
        case .insert(let rows), .update(let rows), .add(let rows):
            for (row, record) in rows.records.enumerated() {
                for (property, column) in zip(rows.properties, rows.columns) {
                    try visit(record, property, rows.entity, column[row])
                }
            }
        case .write(let block):
            for write in block.writes {
                try visit(write.record, block.property, block.entity, write.value)
            }
        case .link(let block), .move(let block):
            for link in block.links {
                try visit(
                    link.left, block.property, block.entity, .reference(link.right),
                    right: link.right)
            }
        case .delete, .unlink, .yieldingDelete, .unknown: break
        }
    }
}

/// The records before a load. It keeps the one that was read last.
private final class FormerRecords {
    private let rows: CanonicalRows
    private let transaction: StateTransaction
    private var last: (id: RecordID, record: RecordIndex?)?

    init(_ rows: CanonicalRows, _ transaction: StateTransaction) {
        self.rows = rows
        self.transaction = transaction
    }

    subscript(id: RecordID) -> RecordIndex? {
        get throws {
            if let last, last.id == id { return last.record }
            let record = try rows.record(transaction.localID(of: id)).map(RecordIndex.init)
            last = (id, record)
            return record
        }
    }
}
