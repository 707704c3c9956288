package import AnabranchModel
import AnabranchSQLite

extension StoreReader {
    /// Reads rows by ID in one SELECT, whatever their number.
    ///
    /// - Parameter ids: IDs of objects of the entity or its sub-entities. An ID that does not
    ///   exist, or that belongs to another entity, gives no row.
    package func rows(
        of entity: EntityDescription, ids: [LocalID], _ body: (StoredRow) throws -> Void
    ) throws {
        guard !ids.isEmpty else { return }
        let selection = schema.rowSelection(of: entity)
        try withExtendedLifetime(selection) {
            try forEachRow(selection.byID, of: ids) { try body(try selection.row($0)) }
        }
    }

    /// Calls the body for each row that a SELECT finds by some IDs, of which there is at least one.
    func forEachRow(
        _ select: SelectByID, of ids: [LocalID], _ body: (UnsafeRow) throws -> Void
    ) throws {
        let isOne = ids.count == 1
        let (sql, takesRows) = isOne ? select.ofOne : select.ofSeveral
        let statement = try connection.cached(sql)
        if isOne {
            try statement.bind(ids[0], at: 1)
        } else {
            try statement.bind(SQL.json(ids), at: 1)
        }
        try takesRows ? statement.takeRows(body) : statement.forEachRow(body)
    }

    /// The entity of a row in a hierarchy; `nil` if there is no such row.
    package func entity(of id: LocalID, in root: EntityDescription) throws -> EntityDescription? {
        let layout = schema.layout(of: root)
        return try connection.cached(layout.versionSQL, id).first {
            layout.table.hasDiscriminator
                ? schema.entity(numbered: $0.int64(at: 0)) : layout.entity
        }
    }
}

extension RowSelection {
    /// A row of a statement that selects these columns first, valid while this value exists.
    ///
    /// - Throws: `StoreError` with code `corrupt` if the model has no entity with the row's number.
    func row(_ columns: UnsafeRow) throws -> StoredRow {
        if let row = knownRow(columns) { return row }
        throw StoreError(
            .corrupt,
            "Can't read a row because the model has no entity with its number "
                + "\(columns[2].int64).", records: [columns[0].int64])
    }
}
