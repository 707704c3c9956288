import AnabranchReplication
import AnabranchSQLite

/// What has no place in the tables of this file's model, kept verbatim with its stamps: records of
/// unknown entities, unknown properties of known records, links of unknown relationships; records
/// that are dead for now, and values that stand beside the shown one.
///
/// It merges by the same rules as everything else, counts in the canonical hash, and blocks
/// nothing.
final class DeferredRows {
    let transaction: WriteTransaction
    /// Asking once spares every deleted row three statements.
    lazy var isEmpty: Bool = (try? Self.areEmpty(on: connection)) ?? false

    var connection: Connection { transaction.connection }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    static func areEmpty(on connection: Connection) throws -> Bool {
        try connection.firstValue(
            """
            SELECT EXISTS (SELECT 1 FROM ab_deferred_record)
            OR EXISTS (SELECT 1 FROM ab_deferred_cell) OR EXISTS (SELECT 1 FROM ab_deferred_link)
            OR EXISTS (SELECT 1 FROM ab_delete_mark)
            """) == .integer(0)
    }

    /// The entity of a record that is kept here.
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
                    .malformedChangeSet, "Can't apply a change set that inserts \(record) again.",
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

    /// Adds a cell that is not there.
    ///
    /// - Parameter value: As it travels.
    func write(
        _ property: WireProperty, _ value: Value, to id: LocalID, stamp: LocalStamp
    ) throws {
        isEmpty = false
        var bytes = ByteWriter()
        bytes.append(tagged: value)
        try connection.run(
            """
            INSERT INTO ab_deferred_cell (record, name, type, rule, value, hlc, by)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(id), .text(property.name.string), .integer(Int64(property.type.rawValue)),
            .integer(Int64(property.rule.rawValue)), .blob(bytes.bytes),
            .integer(Int64(bitPattern: stamp.timestamp)), .integer(stamp.ordinal))
    }

    /// A value that has no column: of a property that this model does not have, of a dead record,
    /// or one that stands beside the shown one under `keepBoth`.
    struct Cell {
        let property: WireProperty
        /// As it travels.
        let value: Value
        let stamp: LocalStamp
    }

    func cells(of id: LocalID) throws -> [Cell] {
        guard !isEmpty else { return [] }
        let statement = try connection.cached(
            "SELECT name, type, rule, value, hlc, by FROM ab_deferred_cell WHERE record = ?")
        try statement.bind(id, at: 1)
        var cells: [Cell] = []
        while try statement.step() {
            var value = ByteReader(statement.bytes(at: 3))
            cells.append(
                Cell(
                    property: Self.property(statement), value: try value.readTagged(),
                    stamp: LocalStamp(
                        timestamp: UInt64(bitPattern: statement.int64(at: 4)),
                        ordinal: statement.int64(at: 5))))
        }
        return cells
    }

    /// Reads three columns: name, type, rule.
    static func property(_ statement: Statement) -> WireProperty {
        WireProperty(
            name: WireName(statement.string(at: 0)),
            type: WireType(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 1))),
            rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 2))))
    }

    /// Deletes a record of an unknown entity with its properties and unknown links.
    func delete(_ id: LocalID) throws {
        try connection.run("DELETE FROM ab_deferred_record WHERE record = ?", .integer(id))
        try removeProperties(of: id)
    }

    /// Removes unknown properties and links of a record that is deleted.
    func removeProperties(of id: LocalID) throws {
        guard !isEmpty else { return }
        try connection.run("DELETE FROM ab_deferred_cell WHERE record = ?", .integer(id))
        try connection.run("DELETE FROM ab_delete_mark WHERE record = ?", .integer(id))
        try connection.run("DELETE FROM ab_deferred_link WHERE left = ?", .integer(id))
        try connection.run("DELETE FROM ab_deferred_link WHERE right = ?", .integer(id))
    }
}
