import AnabranchReplication
import AnabranchSQLite

/// The part of the state that has no place in the tables of this file's model, kept verbatim with
/// its stamps.
///
/// This includes records of unknown entities, unknown properties of known records, and links of
/// unknown relationships. It also includes dead records, members of duplicate sets, and values that
/// stay beside the visible one.
///
/// All of it merges by the same rules as the tables, counts in the canonical hash, and blocks
/// nothing.
final class DeferredRows {
    unowned let transaction: WriteTransaction
    let connection: Connection
    /// True if there are no deferred rows and no former links, which may be in the columns of
    /// dropped to-ones. The answer is kept, which saves three statements for each deleted row.
    var isEmpty: Bool {
        get {
            if let known = transaction.head.hasDeferredRows { return !known }
            let isEmpty = (try? Self.areEmpty(on: connection)) ?? false
            transaction.head.hasDeferredRows = !isEmpty
            return isEmpty
        }
        set { transaction.head.hasDeferredRows = !newValue }
    }

    /// The transaction's own rows: use ``WriteTransaction/deferred``.
    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        connection = transaction.connection
    }

    static func areEmpty(on connection: Connection) throws -> Bool {
        try connection.firstValue(
            """
            SELECT EXISTS (SELECT 1 FROM ab_deferred_record)
            OR EXISTS (SELECT 1 FROM ab_deferred_cell) OR EXISTS (SELECT 1 FROM ab_deferred_link)
            OR EXISTS (SELECT 1 FROM ab_delete_mark) OR EXISTS (SELECT 1 FROM ab_former_link)
            """) == .integer(0)
    }

    /// The entity of a record that is kept here; `nil` if it is not.
    func entity(of id: LocalID) throws -> WireName? {
        guard !isEmpty else { return nil }
        guard
            case .text(let name)? = try connection.firstValue(
                "SELECT entity FROM ab_deferred_record WHERE record = ?", .integer(id))
        else { return nil }
        return WireName(name)
    }

    func holds(_ id: LocalID) throws -> Bool { try entity(of: id) != nil }

    func insert(_ block: RowBlock, stamp: LocalStamp) throws {
        isEmpty = false
        for (row, record) in block.records.enumerated() {
            let id = LocalID(ordinal: stamp.ordinal, number: record.number)
            guard try entity(of: id) == nil else {
                throw StoreError(
                    .malformedChangeSet,
                    "Can't apply a change set because it inserts \(record) a second time.",
                    path: transaction.store.path, records: [id])
            }
            try insert(id, entity: block.entity)
            for (property, column) in zip(block.properties, block.columns) {
                try write(property, column[row], to: id, stamp: stamp)
            }
        }
    }

    func insert(_ id: LocalID, entity: WireName) throws {
        isEmpty = false
        try connection.run(
            "INSERT INTO ab_deferred_record (record, entity) VALUES (?, ?)", .integer(id),
            .text(entity.string))
    }

    /// Inserts a cell that does not exist yet.
    ///
    /// - Parameter value: The value in its wire form.
    func write(
        _ property: WireProperty, _ value: PropertyValue, to id: LocalID, stamp: LocalStamp
    ) throws {
        try CellInsertion(of: property, into: self).insert(value, of: id, stamp: stamp)
    }

    /// A value that has no column: of a property unknown to this model, of a record without a row,
    /// or one beside the visible value under `keepBoth`.
    struct Cell {
        let property: WireProperty
        /// The value in its wire form.
        let value: PropertyValue
        let stamp: LocalStamp
    }

    /// The cells of a record, also those in dropped columns of its row.
    func cells(of id: LocalID, _ selection: CellSelection = .all) throws -> [Cell] {
        let own = try ownCells(of: id, selection)
        guard transaction.schema.hasDropped(selection) else { return own }
        return try droppedCells(
            of: id,
            unless: { dropped in
                !selection.includes(dropped) || own.contains { $0.property == dropped }
            }) + own
    }

    /// The cells outside of the record's row.
    private func ownCells(of id: LocalID, _ selection: CellSelection) throws -> [Cell] {
        guard !isEmpty else { return [] }
        let statement = try connection.cached(selection.statement)
        try statement.bind(selection, of: id)
        return try statement.map(Self.cell)
    }

    /// Reads the columns name, type, rule, value, hlc and by.
    static func cell(_ statement: Statement) throws -> Cell {
        Cell(
            property: property(statement), value: try statement.taggedValue(at: 3),
            stamp: try statement.localStamp(at: 4))
    }

    /// Reads the columns name, type and rule.
    static func property(_ statement: Statement) -> WireProperty { statement.wireProperty(at: 0) }

    /// Deletes a record of an unknown entity with its properties and unknown links.
    func delete(_ id: LocalID) throws {
        try connection.run("DELETE FROM ab_deferred_record WHERE record = ?", .integer(id))
        try removeProperties(of: id)
    }

    /// Removes the unknown properties and links of a deleted record.
    func removeProperties(of id: LocalID) throws {
        guard !isEmpty else { return }
        try connection.run("DELETE FROM ab_deferred_cell WHERE record = ?", .integer(id))
        try connection.run("DELETE FROM ab_delete_mark WHERE record = ?", .integer(id))
        try connection.run("DELETE FROM ab_deferred_link WHERE left = ?", .integer(id))
        try connection.run("DELETE FROM ab_deferred_link WHERE right = ?", .integer(id))
        try FormerLinkRows(connection).removeAll(ownedBy: id)
    }
}
