import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The records of one entity, as a table that deferred rows are joined with.
struct RecordSource {
    fileprivate let table: String
    fileprivate let key: String
    fileprivate let discriminator: String
    fileprivate let value: SQLiteValue

    static func rows(of layout: EntityLayout) -> RecordSource {
        RecordSource(
            table: layout.table.name, key: "ab_pk",
            discriminator: layout.table.hasDiscriminator ? "ab_entity" : "\(layout.number)",
            value: .integer(layout.number))
    }

    /// The records that are kept without a row.
    static func deferred(_ layout: EntityLayout) -> RecordSource {
        RecordSource(
            table: "ab_deferred_record", key: "record", discriminator: "entity",
            value: .text(layout.entity.wireName.string))
    }
}

// The deferred rows of many records, read by one statement.
extension DeferredRows {
    static func cellProperties(on connection: Connection) throws -> Set<WireProperty> {
        try properties(in: "ab_deferred_cell", connection)
    }

    /// The relationships that deferred links have.
    static func linkProperties(on connection: Connection) throws -> Set<WireProperty> {
        try properties(in: "ab_deferred_link", connection)
    }

    private static func properties(
        in table: String, _ connection: Connection
    ) throws -> Set<WireProperty> {
        let statement = try connection.prepare("SELECT DISTINCT name, type, rule FROM \(table)")
        return Set(try statement.map(property))
    }

    /// The records that have cells of a property, in ascending order.
    func records(withCellsOf property: WireProperty) throws -> [LocalID] {
        try connection.cached(
            """
            SELECT DISTINCT record FROM ab_deferred_cell
            WHERE name = ? AND type = ? AND rule = ? ORDER BY record
            """, property.columns
        ).map { $0.int64(at: 0) }
    }

    /// Reads the cells that some records have of a property.
    func readCells(
        of property: WireProperty, in source: RecordSource,
        _ body: (LocalID, PropertyValue) throws -> Void
    ) throws {
        let statement = try select(
            "d.record, d.value", from: "ab_deferred_cell", by: "record", property, in: source)
        while try statement.step() {
            try body(statement.int64(at: 0), try statement.taggedValue(at: 1))
        }
    }

    /// Reads the links of a relationship with left ends among some records.
    func readLinks(
        of property: WireProperty, in source: RecordSource,
        _ body: (_ left: LocalID, _ right: LocalID) throws -> Void
    ) throws {
        let statement = try select(
            "d.left, d.right", from: "ab_deferred_link", by: "left", property, in: source)
        while try statement.step() {
            try body(statement.int64(at: 0), statement.int64(at: 1))
        }
    }

    /// Joins the records with their deferred rows, in the order of both primary keys.
    private func select(
        _ columns: String, from table: String, by column: String, _ property: WireProperty,
        in source: RecordSource
    ) throws -> Statement {
        let statement = try connection.cached(
            """
            SELECT \(columns) FROM \(source.table) t
            CROSS JOIN \(table) d ON d.\(column) = t.\(source.key)
            WHERE d.name = ? AND d.type = ? AND d.rule = ? AND \(source.discriminator) = ?
            """, property.columns)
        try statement.bind(source.value, at: 4)
        return statement
    }
}
