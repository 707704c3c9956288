import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Assembles records from rows, link rows and deferred rows.
///
/// Its statements stay prepared as long as it exists, because a hash reads every record.
struct CanonicalRows {
    /// A table and the statement that reads one of its rows.
    private struct Table {
        let layout: TableLayout
        let row: Statement
    }

    private let connection: Connection
    private let schema: StoreSchema
    private let replicas: ReplicaTable
    private let logStamps: LogStamps
    private let tables: [Table]
    private let links: [(layout: LinkLayout, statement: Statement)]
    /// Statements for content that the model does not know; `nil` if the file has none.
    private let deferred: (cells: Statement, links: Statement, mark: Statement)?
    /// Reads the references that view rules hide; `nil` if the file hides none.
    private let hidden: Statement?

    /// Prepares the statements.
    ///
    /// - Parameter logStamps: The stamps of a transaction that saves a change set not yet in the
    ///   log.
    init(_ reader: StoreReader, replicas: ReplicaTable, logStamps: LogStamps? = nil) throws {
        let connection = reader.connection
        let schema = reader.schema
        self.connection = connection
        self.schema = schema
        self.replicas = replicas
        self.logStamps = logStamps ?? LogStamps(connection)
        let ownLinks =
            try MergedDuplicateRows.isEmpty(on: connection) ? "" : MergedDuplicateRows.linksOfOthers
        tables = try schema.tables.map { layout in
            Table(layout: layout, row: try connection.cached(Self.rowSQL(layout, in: schema)))
        }
        links = try schema.linkLayouts.map { layout in
            (
                layout,
                try connection.cached(
                    """
                    SELECT right, \(layout.tagColumns) FROM \(layout.name)
                    WHERE left = ? AND tag IS NOT NULL\(ownLinks)
                    """)
            )
        }
        deferred =
            try DeferredRows.areEmpty(on: connection)
            ? nil
            : (
                try connection.cached(Self.cellsSQL), try connection.cached(Self.linksSQL),
                try connection.cached("SELECT seen FROM ab_delete_mark WHERE record = ?")
            )
        hidden =
            try HiddenReferences.isEmpty(on: connection)
            ? nil
            : try connection.cached("SELECT property, target FROM ab_hidden WHERE record = ?")
    }

    /// The targets of references that a view rule hides, by property number. They belong to the
    /// record like the visible ones.
    private func hiddenTargets(of id: LocalID) throws -> [Int: LocalID] {
        guard let hidden else { return [:] }
        try hidden.bind(id)
        defer { hidden.reset() }
        var targets: [Int: LocalID] = [:]
        while try hidden.step() { targets[Int(hidden.int64(at: 0))] = hidden.int64(at: 1) }
        return targets
    }

    private static func rowSQL(_ table: TableLayout, in schema: StoreSchema) -> String {
        let discriminator =
            table.hasDiscriminator ? "ab_entity" : "\(schema.layout(of: table.root).number)"
        let names =
            [discriminator, "ab_version", "ab_writes"] + table.properties.flatMap(\.names)
            + table.dropped.map(\.name)
        return "SELECT \(names.joined(separator: ", ")) FROM \(table.name) WHERE ab_pk = ?"
    }

    private static let cellsSQL =
        "SELECT name, type, rule, value, hlc, by FROM ab_deferred_cell WHERE record = ?"
    private static let linksSQL =
        "SELECT name, type, rule, right, tag, tag_by, more FROM ab_deferred_link WHERE left = ?"

    func record(_ id: LocalID, in table: TableLayout) throws -> CanonicalRecord? {
        try tables.first { $0.layout === table }.flatMap { try record(id, of: $0) }
    }

    /// Reads a record, in whatever table it is.
    func record(_ id: LocalID) throws -> CanonicalRecord? {
        for index in 0...tables.count {
            if let record = try record(id, table: index) { return record }
        }
        return nil
    }

    /// Reads a record.
    ///
    /// - Parameter table: The index of the table; an index after the last table for a record of an
    ///   unknown entity.
    func record(_ id: LocalID, table: Int) throws -> CanonicalRecord? {
        try record(id, of: table < tables.count ? tables[table] : nil)
    }

    private func record(_ id: LocalID, of table: Table?) throws -> CanonicalRecord? {
        guard var record = try table.map({ try known(id, $0) }) ?? unknown(id) else { return nil }
        if let deferred {
            record.take(try cells(of: id, deferred.cells), besides: table?.layout.dropped ?? [])
            record.links += try deferredLinks(of: id, deferred.links)
            record.deleteMark = try mark(of: id, deferred.mark)
        }
        return record
    }

    private func known(_ id: LocalID, _ table: Table) throws -> CanonicalRecord? {
        let statement = table.row
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        guard try statement.step(), let recordID = replicas.record(id),
            let entity = schema.entity(numbered: statement.int64(at: 0))
        else { return nil }
        let writes = try statement.writes(at: 1, table.layout.added)
        let hidden = try hiddenTargets(of: id)
        var record = CanonicalRecord(id: recordID, entity: entity.wireName)
        var place = 3
        for property in table.layout.properties {
            defer { place += property.width }
            guard entity.isKind(of: property.entity), let position = writes[property.number]
            else { continue }
            record.cells.append(
                CanonicalRecord.Cell(
                    property: property.wire,
                    value: statement.wireValue(
                        at: place, of: property, replicas, hidden: hidden[property.number]),
                    stamp: try stamp(try logStamps[position])))
        }
        for cell in statement.droppedCells(at: place, of: table.layout, entity, writes, replicas) {
            record.cells.append(
                CanonicalRecord.Cell(
                    property: cell.property, value: cell.value,
                    stamp: try stamp(try logStamps[cell.position])))
        }
        record.links = try links(of: id) { entity.isKind(of: $0.leftEntity) }
        return record
    }

    private func stamp(_ stamp: LocalStamp) throws -> Stamp {
        guard let wire = replicas.stamps([stamp]).first else {
            throw StoreError(
                .corrupt, "Can't read a stamp because replica \(stamp.ordinal) is unknown.")
        }
        return wire
    }

    private func links(
        of id: LocalID, where isOwn: (LinkLayout) -> Bool
    ) throws -> [CanonicalRecord.Link] {
        var found: [CanonicalRecord.Link] = []
        for (layout, statement) in links where isOwn(layout) {
            try statement.bind(id)
            defer { statement.reset() }
            while try statement.step() {
                guard let right = replicas.record(statement.int64(at: 0)) else { continue }
                found.append(
                    CanonicalRecord.Link(
                        property: layout.relationship.wireProperty, right: right,
                        tags: replicas.linkTags(
                            try LinkRows.tags(of: statement, at: 1, isList: layout.isList))))
            }
        }
        return found
    }

    /// Reads a record of an unknown entity. It may be a sub-entity of a known entity and then has
    /// that entity's relationships.
    private func unknown(_ id: LocalID) throws -> CanonicalRecord? {
        guard
            case .text(let name)? = try connection.firstValue(
                "SELECT entity FROM ab_deferred_record WHERE record = ?", .integer(id)),
            let recordID = replicas.record(id)
        else { return nil }
        var record = CanonicalRecord(id: recordID, entity: WireName(name))
        record.links = try links(of: id) { _ in true }
        return record
    }

    private func cells(of id: LocalID, _ statement: Statement) throws -> [CanonicalRecord.Cell] {
        try statement.bind(id)
        return try statement.map {
            CanonicalRecord.Cell(
                property: DeferredRows.property($0), value: try $0.taggedValue(at: 3),
                stamp: try stamp($0.localStamp(at: 4)))
        }
    }

    private func mark(of id: LocalID, _ statement: Statement) throws -> DeleteMark? {
        try statement.bind(id)
        return try statement.first {
            DeleteMark(seen: replicas.stamps(try LinkRows.stamps($0.bytes(at: 0))))
        }
    }

    private func deferredLinks(
        of id: LocalID, _ statement: Statement
    ) throws -> [CanonicalRecord.Link] {
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        var links: [CanonicalRecord.Link] = []
        while try statement.step() {
            guard let right = replicas.record(statement.int64(at: 3)) else { continue }
            let property = DeferredRows.property(statement)
            links.append(
                CanonicalRecord.Link(
                    property: property, right: right,
                    tags: replicas.linkTags(try DeferredRows.tags(of: statement, at: 4, property))))
        }
        return links
    }
}

extension CanonicalRecord {
    /// Adds the deferred cells. The deferred value of an attribute group is the whole value, so it
    /// replaces the value read from the columns. A deferred cell of a dropped property replaces
    /// the cell that was read from the row.
    fileprivate mutating func take(_ deferred: [Cell], besides dropped: [DroppedColumn]) {
        guard !deferred.isEmpty else { return }
        if !dropped.isEmpty {
            let replaced = Set(dropped.map(\.wire)).intersection(deferred.map(\.property))
            cells.removeAll { replaced.contains($0.property) }
        }
        // The row has few groups, and the deferred cells may have many.
        let groups = cells.indices.filter { cells[$0].property.rule == .group }
        guard !groups.isEmpty else {
            cells += deferred
            return
        }
        let places = Dictionary(uniqueKeysWithValues: groups.map { (cells[$0].property, $0) })
        for cell in deferred {
            if let place = places[cell.property] {
                cells[place].value = cell.value
            } else {
                cells.append(cell)
            }
        }
    }
}
