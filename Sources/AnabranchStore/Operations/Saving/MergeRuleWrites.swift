import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The writes of one update under merge rules that depend on the held value. The change set
/// contains not the new value but its effect on the old one, and the write must be able to win.
///
/// Rows are read before they are written only if the entity has such properties.
struct MergeRuleWrites {
    /// A column and its index among the slots of the request.
    typealias Place = (column: TableLayout.Column, index: Int)

    private let counters: [Place]
    private let siblings: [Place]
    /// The columns with writes that must win against the held value: `firstWriter`, `max`, `min`.
    private let contested: [Place]
    private var deltas: RowBlockEncoder
    private var writes: [[SiblingBlock.Write]]
    /// The values beside the shown one that the writes discard.
    private var discarded: [UnseenValue] = []
    /// An estimate of the size of the writes in bytes.
    private var byteCount = 0
    private var cellCount = 0
    private let layout: EntityLayout
    private let row: String

    /// Selects the columns with a merge rule that depends on the held value.
    ///
    /// - Parameter columns: The columns that are written.
    /// - Returns: `nil` if no column has such a rule.
    init?(_ columns: [TableLayout.Column], layout: EntityLayout) {
        let all = columns.enumerated().map { (column: $1, index: $0) }
        func places(under rules: MergeRule...) -> [Place] {
            all.filter { rules.contains($0.column.rule) }
        }
        counters = places(under: .counter)
        siblings = places(under: .keepBoth)
        contested = places(under: .firstWriter, .max, .min)
        guard !(counters.isEmpty && siblings.isEmpty && contested.isEmpty) else { return nil }
        self.layout = layout
        deltas = RowBlockEncoder(
            additionsTo: layout.entity.wireName,
            properties: counters.map(\.column.property.wireProperty))
        writes = siblings.map { _ in [] }
        let names = columns.map(\.name).joined(separator: ", ")
        row = """
            SELECT ab_version, ab_writes, \(names) FROM \(layout.table.name)
            WHERE ab_pk = ? AND ab_version = ?
            """
    }

    /// Adds the counter deltas and the `keepBoth` values that the update writes to one row.
    ///
    /// A new `keepBoth` value replaces all held ones. Values under `firstWriter`, `max` and `min`
    /// are only checked: they must win against the held value.
    ///
    /// - Parameter value: Returns the value of a slot of the request, given its index.
    /// - Returns: False if the row was changed or deleted since it was read; then nothing is added.
    /// - Throws: ``StoreError`` `cannotWin` if a value loses, or if a counter can't have it.
    mutating func add(
        _ id: LocalID, _ version: RowVersion, in save: borrowing SaveOperation,
        value: (Int) -> PropertyValue
    ) throws -> Bool {
        let statement = try save.connection.cached(row)
        try statement.bind(id, at: 1)
        try statement.bind(version.position, at: 2)
        guard try statement.step() else { return false }
        defer { statement.reset() }
        let held = try statement.writes(at: 0, layout.table.added)
        func heldValue(_ place: Place) -> PropertyValue {
            statement.slot(at: place.index + 2, as: place.column.kind)
        }
        for place in contested {
            let stamp = try held[place.column.number].map { try save.logStamps[$0] }
            try check(place, value(place.index), over: heldValue(place), stamp, id, save)
            try check(place, value(place.index), overMembersOf: id, save)
        }
        try addDeltas(of: try save.transaction.recordID(of: id), from: heldValue, to: value)
        for (index, place) in siblings.enumerated() {
            let hidden = try save.deferred.wireCells(
                of: id, .of(place.column.property.wireProperty))
            let shown = try held[place.column.number].map { position in
                RecordCells.Cell(
                    property: place.column.property.wireProperty,
                    value: statement.wireValue(
                        at: place.index + 2, of: place.column, save.transaction.replicas),
                    stamp: try save.deferred.wireStamp(try save.logStamps[position]))
            }
            try write(value(place.index), to: id, index, replacing: hidden, shown: shown, save)
        }
        return true
    }

    /// Writes a value under `keepBoth` in place of the values that its author has seen. The hidden
    /// ones of these go to the conflict journal. The other values stay beside the new one.
    private mutating func write(
        _ value: PropertyValue, to id: LocalID, _ index: Int, replacing hidden: [RecordCells.Cell],
        shown: RecordCells.Cell?, _ save: borrowing SaveOperation
    ) throws {
        let column = siblings[index].column
        let property = column.property.wireProperty
        let seen = try hidden.filter { try save.hasSeen($0, column.slot, of: id) }
        if let written = layout.property(property) {
            discarded += try seen.filter { $0.value != value }.map { cell in
                try UnseenValue(
                    cell, of: id, layout.entity.wireName, written, in: layout, save,
                    isShown: false)
            }
        }
        let others = (hidden + (shown.map { [$0] } ?? [])).map { ($0, $0.stamp) }
        let replaced = try others.filter { try save.hasSeen($0.0, column.slot, of: id) }.map(\.1)
        byteCount += value.byteEstimate + replaced.count * 10
        cellCount += 2 + replaced.count
        writes[index].append(
            SiblingBlock.Write(
                record: try save.transaction.recordID(of: id), value: value,
                observedTags: replaced))
        try save.deferred.replace(
            property, of: id, by: others.map(\.0).filter { !replaced.contains($0.stamp) })
    }

    /// Checks that a value wins against the values that the other members of the record's duplicate
    /// set show, also as those of a former property. Values that this save has written are not
    /// checked, and null wins against no value there.
    ///
    /// - Throws: ``StoreError`` `cannotWin`.
    private func check(
        _ place: Place, _ value: PropertyValue, overMembersOf id: LocalID,
        _ save: borrowing SaveOperation
    ) throws {
        let others = save.members(of: id).filter { $0 != id }
        // A member may have been written by this save, which is not in the log yet.
        if !others.isEmpty { save.logStamps.record(save.stamp, at: save.position) }
        for member in others {
            guard let row = try save.transaction.views.heldRow(member),
                row.layout.entity.isKind(of: place.column.property.entity),
                let property = row.layout.property(place.column.property.wireProperty)
            else { continue }
            for cell in try save.transaction.views.shownCells(of: property, in: row) {
                let stamp = try save.transaction.localStamp(cell.stamp)
                guard stamp != save.stamp, !cell.value.isNull else { continue }
                try check(place, value, over: cell.value, stamp, id, save)
            }
        }
    }

    private mutating func addDeltas(
        of record: RecordID, from held: (Place) -> PropertyValue, to value: (Int) -> PropertyValue
    ) throws {
        guard !counters.isEmpty else { return }
        deltas.append(record: record)
        for (column, place) in counters.enumerated() {
            let type = place.column.property.wireProperty.type
            guard let delta = Counter.delta(from: held(place), to: value(place.index), of: type)
            else {
                throw refusal(
                    place, "a counter can't be set to null, nor exceed the range of its type",
                    [])
            }
            deltas.append(delta, toColumn: column)
        }
    }

    private func check(
        _ place: Place, _ value: PropertyValue, over held: PropertyValue, _ stamp: LocalStamp?,
        _ id: LocalID,
        _ save: borrowing SaveOperation
    ) throws {
        let outcome = Register.outcome(
            ofWriting: try save.deferred.wireStamp(save.stamp),
            over: try stamp.map(save.deferred.wireStamp), by: place.column.rule,
            values: { (value, held) })
        guard outcome != .replaces else { return }
        let reason =
            place.column.rule == .firstWriter
            ? "it was written before, and the first write stays"
            : "the held value \(held) wins: the \(place.column.rule) of all writes stays"
        throw refusal(place, reason, [id])
    }

    private func refusal(_ place: Place, _ reason: String, _ records: [LocalID]) -> StoreError {
        let property = place.column.property
        return StoreError(
            .cannotWin,
            "Can't save \(property.entity.name).\(property.name) because \(reason).",
            entity: property.entity.name, property: property.name, records: records)
    }

    /// True if the blocks fill a part.
    func hasReached(_ room: (byteCount: Int, cellCount: Int)) -> Bool {
        byteCount >= room.byteCount || cellCount >= room.cellCount
            || deltas.hasReached(byteCount: room.byteCount, cellCount: room.cellCount)
    }

    /// Adds the blocks to the change set.
    func finish(_ save: inout SaveOperation) throws {
        if !counters.isEmpty { save.encoder.append(deltas) }
        for (place, writes) in zip(siblings, writes) where !writes.isEmpty {
            save.encoder.append(
                .write(
                    SiblingBlock(
                        entity: layout.entity.wireName,
                        property: place.column.property.wireProperty, writes: writes)))
        }
        save.unseenValues += discarded
        try save.cutIfFull()
    }
}
