import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// How several records are merged into one visible record, and how they are separated again.
extension ViewRules {
    private struct Member {
        let id: LocalID
        let row: HeldRow
        let record: CanonicalRecord
    }

    /// The row of a record, whatever its entity; `nil` if there is none.
    func heldRow(_ id: LocalID) throws -> HeldRow? {
        for table in schema.tables {
            guard let entity = try reader.entity(of: id, in: table.root) else { continue }
            let layout = schema.layout(of: entity)
            return try RowWriter(transaction, layout: layout).heldRow(id)
        }
        return nil
    }

    // MARK: - Merging a duplicate set

    /// Makes each duplicate set show as its record with the smallest identity. The state of every
    /// member moves to the deferred rows, and the surviving record's row becomes the merge.
    func mergeDuplicates(_ sets: [DuplicateSet]) throws {
        guard !sets.isEmpty else { return }
        for id in sets.flatMap(\.ids) {
            if let row = try heldRow(id) { try expose([id], of: row.layout) }
        }
        let states = try CanonicalRows(reader, replicas: transaction.replicas, logStamps: logStamps)
        let positions = try stampPositions()
        let rows = RecordRows(transaction, positions: positions)
        for duplicates in sets {
            let members = try duplicates.ids.compactMap { id -> Member? in
                guard let row = try heldRow(id),
                    let record = try states.record(id, in: row.layout.table)
                else { return nil }
                return Member(id: id, row: row, record: record)
            }.sorted { $0.record.id < $1.record.id }
            try merge(members, transaction.deferred, rows) { positions.reserve() }
        }
        try positions.finish()
    }

    private func merge(
        _ members: [Member], _ deferred: DeferredRows, _ rows: RecordRows, newPosition: () -> Int64
    ) throws {
        guard let visible = members.first, members.count > 1 else { return }
        for member in members {
            try referenceChanges.addNeighbours(of: member.row, reader)
            for constraint in member.row.layout.constraints {
                if let key = try key(of: member.id, constraint) {
                    try mergedDuplicates.add(key, constraint, of: member.id)
                }
            }
        }
        for member in members {
            try connection.run(member.row.layout.deleteSQL, .integer(member.id))
            try deferred.insertDeleted(member.record, id: member.id)
            try mergedDuplicates.add(member.id, visible: visible.id)
        }
        for member in members {
            try deferLinks(of: member.id, visible: visible.id, member.row.layout)
        }
        registerFormerLinks(of: members.map(\.id))
        let layout = visible.row.layout
        // A save reports the position of its change set to the app as the version of the rows that
        // it wrote. Rows that the save only separated and merged again show what they showed
        // before, so they keep their version.
        let version =
            transaction.isSaving
            ? members.map(\.row.writes.version.position).max() ?? newPosition() : newPosition()
        try rows.show(
            Self.merged(members, for: layout), id: visible.id, layout: layout,
            version: RowVersion(version))
        try expose([visible.id], of: layout)
    }

    /// One cell for each property that a member has written. Cells with a value win against null.
    ///
    /// A member of an entity beside the visible record's may have another property under the same
    /// wire name. The values of that property do not count.
    ///
    /// - Parameter members: The members in ascending order of identity: among equal stamps the
    ///   first wins.
    private static func merged(
        _ members: [Member], for layout: EntityLayout
    ) -> [CanonicalRecord.Cell] {
        layout.properties.compactMap { property in
            let cells = members.filter { $0.row.layout.entity.isKind(of: property.entity) }
                .flatMap { $0.record.cells(showing: property) }
            guard let first = cells.first else { return nil }
            return cells.dropFirst().reduce(first) { merged($0, $1, property.wire) }
        }
    }

    private static func merged(
        _ held: CanonicalRecord.Cell, _ other: CanonicalRecord.Cell, _ property: WireProperty
    ) -> CanonicalRecord.Cell {
        guard property.rule != .counter else {
            let stamp = max(held.stamp, other.stamp)
            let value =
                held.value.isNull
                ? other.value
                : other.value.isNull
                    ? held.value : Counter.sum(held.value, other.value, of: property.type)
            return CanonicalRecord.Cell(property: property, value: value, stamp: stamp)
        }
        // An insert also writes the properties that it leaves null. Such a null does not win
        // against a value of another member.
        if !property.rule.isExtremum, held.value.isEmpty != other.value.isEmpty {
            return held.value.isEmpty ? other : held
        }
        let outcome = Register.outcome(
            ofWriting: other.stamp, over: held.stamp, by: property.rule
        ) { (other.value, held.value) }
        return outcome == .replaces ? other : held
    }

    /// The cells that a record shows of a property, for itself or as a member of a duplicate set:
    /// its own, or the later one of a former property. Only under `keepBoth` there are several.
    ///
    /// - Parameter row: The row of the record, which is separated from other members.
    func shownCells(
        of property: TableLayout.Property, in row: HeldRow
    ) throws -> [CanonicalRecord.Cell] {
        let states = try CanonicalRows(reader, replicas: transaction.replicas, logStamps: logStamps)
        return try states.record(row.id, in: row.layout.table)?.cells(showing: property) ?? []
    }

    // MARK: - Separating a duplicate set

    /// Separates the duplicate sets that contain some records. Every member has its own row and its
    /// own links again, under the version of the surviving record's row.
    ///
    /// - Parameter isDamaged: If true, cells that cannot be decoded are left out, because the
    ///   records are about to be replaced.
    func separateDuplicates(_ ids: some Sequence<LocalID>, isDamaged: Bool = false) throws {
        guard !mergedDuplicates.isEmpty else { return }
        for id in ids {
            guard let visible = try mergedDuplicates.visible(of: id) else { continue }
            try separateDuplicates(shownBy: visible, isDamaged: isDamaged)
        }
    }

    func uncoverAll() throws { try separateDuplicates(try mergedDuplicates.allVisible()) }

    private func separateDuplicates(shownBy visible: LocalID, isDamaged: Bool) throws {
        let members = try mergedDuplicates.members(of: visible)
        if !affected.contains(visible) {
            membersBefore[visible] = members
            for member in members { visibleBefore[member] = visible }
        }
        let row =
            try isDamaged
            ? StoreError.unlessDamaged { try heldRow(visible) } ?? nil
            : heldRow(visible)
        if let row {
            try referenceChanges.addNeighbours(of: row, reader)
            try expose([visible], of: row.layout)
        }
        for table in schema.syncedTables {
            try connection.run("DELETE FROM \(table.name) WHERE ab_pk = ?", .integer(visible))
        }
        try hidden.remove(of: visible)
        try LinkRows(connection).removeAll(of: visible, in: schema.syncedLinkLayouts)
        try mergedDuplicates.remove(members)
        try insert(members, version: row?.writes.version, isDamaged: isDamaged)
        for member in members { try restoreLinks(of: member) }
        registerFormerLinks(of: members)
        for member in members {
            if let row = try heldRow(member) { try willChange([member], of: row.layout) }
            // A damaged member is about to be replaced, so the rule is applied later.
            if isDamaged { registerValues(of: member) } else { try showValues(of: member) }
        }
    }

    private func insert(_ members: [LocalID], version: RowVersion?, isDamaged: Bool) throws {
        let deferred = transaction.deferred
        let positions = try stampPositions()
        let rows = RecordRows(transaction, positions: positions)
        for id in members {
            guard let entity = try deferred.entity(of: id) else { continue }
            let record = CanonicalRecord(
                id: try transaction.recordID(of: id), entity: entity,
                cells: try isDamaged
                    ? StoreError.unlessDamaged { try deferred.wireCells(of: id) } ?? []
                    : deferred.wireCells(of: id))
            try deferred.removeDeleted(id)
            try rows.insert(record, id: id, version: version ?? RowVersion(positions.reserve()))
        }
        try positions.finish()
    }
}

extension CanonicalRecord {
    /// The cells that a property shows: its own, or the later one of a former property.
    func cells(showing property: TableLayout.Property) -> [Cell] {
        let former = property.group == nil ? cells.former(of: property.wire, in: id) : nil
        return former.map { [$0] } ?? cells.filter { $0.property == property.wire }
    }
}

extension PropertyValue {
    /// True for null and for an attribute group in which every member is null.
    var isEmpty: Bool {
        if case .group(let group) = self { return group.members.allSatisfy(\.value.isNull) }
        return isNull
    }
}
