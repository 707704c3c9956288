import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The writes that this file has made or received since it last followed the zone's log, while a
/// snapshot replaces every record.
///
/// No merge compares them with what the zone got in the meantime: a loaded state only shows the
/// result. So the file notes which of these writes show before the load. Those that do not show
/// afterwards go to the conflict journal.
///
/// Whether the author of the replacing write had seen the lost one is not known, because the zone
/// no longer has the change sets. The journal has such a value in any case, unless both writes are
/// of one replica.
struct UnmergedWrites {
    private let transaction: StateTransaction
    /// The local positions of the entries with these writes.
    private let positions: [Int64]
    /// The names of the writes that showed before the load.
    private var shown: Set<Name> = []
    /// The counters to which the writes have added: the last write, and the held number.
    private var counters: [Register: (stamp: Stamp, value: Value)] = [:]

    private struct Register: Hashable {
        let record: RecordID
        let property: WireProperty
    }

    private struct Name: Hashable {
        let record: RecordID
        let property: WireProperty
        /// The right end of a link.
        var right: RecordID?
        let stamp: Stamp
    }

    /// One write of an entry.
    private struct Write {
        let name: Name
        let entity: WireName
        let value: Value

        var register: Register { Register(record: name.record, property: name.property) }

        func kind(isDeleted: Bool) -> Conflict.Kind {
            if name.right != nil { return .linkToDeleted }
            return isDeleted ? .deletedWhileWritten : .concurrentWrite
        }
    }

    /// Notes the writes that show.
    init(_ transaction: StateTransaction) throws {
        self.transaction = transaction
        positions =
            if let cursor = transaction.state.cursor {
                try transaction.log.positions(
                    beyond: CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position))
            } else {
                try transaction.log.unplacedPositions()
            }
        guard !positions.isEmpty else { return }
        let states = try RecordStates(transaction)
        var found: Set<Name> = []
        var counters = counters
        try forEachWrite(states) { write, state in
            guard Self.shows(write, in: state) else { return }
            guard write.name.property.rule == .counter else {
                found.insert(write.name)
                return
            }
            let held = state?.cells.first { $0.property == write.name.property }
            counters[write.register] = (write.name.stamp, held?.value ?? write.value)
        }
        shown = found
        self.counters = counters
    }

    /// Records the writes that the loaded state has discarded.
    func recordLosses() throws {
        guard !shown.isEmpty || !counters.isEmpty else { return }
        let states = try RecordStates(transaction)
        var deleted: Set<RecordID> = []
        try forEachWrite(states) { write, state in
            let property = write.name.property
            guard !Self.shows(write, in: state), state == nil || property.rule.loses,
                let value = shownValue(of: write)
            else { return }
            let winner = state?.cells.first { $0.property == property }
            guard winner?.value != value, winner?.stamp.replica != write.name.stamp.replica else {
                // A replica has seen its own earlier writes.
                return
            }
            if state == nil { deleted.insert(write.name.record) }
            if let right = write.name.right, try states[right] == nil { deleted.insert(right) }
            try transaction.journal.record(
                DiscardedWrite(
                    kind: write.kind(isDeleted: state == nil),
                    record: try transaction.localID(of: write.name.record), entity: write.entity,
                    property: property, value: value,
                    lost: try transaction.localStamp(write.name.stamp),
                    winner: try winner.map { try transaction.localStamp($0.stamp) },
                    winningValue: winner?.value))
        }
        try recordContents(of: deleted)
    }

    /// Records what else was lost with records that the loaded state no longer has.
    private func recordContents(of records: Set<RecordID>) throws {
        guard !records.isEmpty else { return }
        // The load is not committed, so a reader still sees the records.
        try transaction.store.read { reader in
            let rows = try CanonicalRows(reader, replicas: try reader.replicas())
            for record in records.sorted() {
                guard let former = try rows.record(try transaction.localID(of: record)) else {
                    continue
                }
                for cell in former.cells where !isRecorded(cell, of: record) {
                    try recordContent(
                        .deletedWithRecord, former, cell.property, cell.value, cell.stamp)
                }
                for link in former.links {
                    for tag in link.tags.tags {
                        let name = Name(
                            record: record, property: link.property, right: link.right, stamp: tag)
                        guard !shown.contains(name) else { continue }
                        try recordContent(
                            .linkToDeleted, former, link.property, .reference(link.right), tag)
                    }
                }
            }
        }
    }

    private func isRecorded(_ cell: CanonicalRecord.Cell, of record: RecordID) -> Bool {
        let register = Register(record: record, property: cell.property)
        return counters[register] != nil
            || shown.contains(Name(record: record, property: cell.property, stamp: cell.stamp))
    }

    private func recordContent(
        _ kind: Conflict.Kind, _ record: CanonicalRecord, _ property: WireProperty, _ value: Value,
        _ stamp: Stamp
    ) throws {
        try transaction.journal.record(
            DiscardedWrite(
                kind: kind, record: try transaction.localID(of: record.id), entity: record.entity,
                property: property, value: value, lost: try transaction.localStamp(stamp)))
    }

    /// The value that a write has shown before the load; `nil` if it did not show. Of the additions
    /// to a counter the last one stands for the held number.
    private func shownValue(of write: Write) -> Value? {
        guard write.name.property.rule == .counter else {
            return shown.contains(write.name) ? write.value : nil
        }
        guard let counter = counters[write.register], counter.stamp == write.name.stamp else {
            return nil
        }
        return counter.value
    }

    /// True if the state of a record includes a write. An addition to a counter is included as
    /// long as the record is held.
    private static func shows(_ write: Write, in state: CanonicalRecord?) -> Bool {
        guard let state else { return false }
        if let right = write.name.right {
            return state.links.contains {
                $0.property == write.name.property && $0.right == right
                    && $0.tags.tags.contains(write.name.stamp)
            }
        }
        return write.name.property.rule == .counter
            || state.cells.contains {
                $0.property == write.name.property && $0.stamp == write.name.stamp
            }
    }

    /// Calls the body for each write, with the present state of its record, which is the left end
    /// of a link.
    private func forEachWrite(
        _ states: RecordStates, _ body: (Write, CanonicalRecord?) throws -> Void
    ) throws {
        var last: (record: RecordID, state: CanonicalRecord?)?
        func visit(_ write: Write) throws {
            if last?.record != write.name.record {
                last = (write.name.record, try states[write.name.record])
            }
            try body(write, last?.state)
        }
        try transaction.log.forEach(positions) { entry in
            let set = entry.changeSet
            do {
                try set.forEachBlock(PartTable(transaction.connection)) { block in
                    try Self.forEachWrite(in: block, by: set.stamp, visit)
                }
            } catch is ChangeSetDecodingError {}  // It was not applied.
        }
    }

    private static func forEachWrite(
        in block: ChangeBlock, by stamp: Stamp, _ body: (Write) throws -> Void
    ) throws {
        switch block {
        case .insert(let rows), .update(let rows), .add(let rows):
            for (row, record) in rows.records.enumerated() {
                for (property, column) in zip(rows.properties, rows.columns) {
                    let name = Name(record: record, property: property, stamp: stamp)
                    try body(Write(name: name, entity: rows.entity, value: column[row]))
                }
            }
        case .write(let block):
            for write in block.writes {
                let name = Name(record: write.record, property: block.property, stamp: stamp)
                try body(Write(name: name, entity: block.entity, value: write.value))
            }
        case .link(let block), .move(let block):
            for link in block.links {
                let name = Name(
                    record: link.left, property: block.property, right: link.right, stamp: stamp)
                try body(
                    Write(name: name, entity: block.entity, value: .reference(link.right)))
            }
        case .delete, .unlink, .yieldingDelete, .unknown: break
        }
    }
}
