import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// A row that exists, in its state before a change.
struct HeldRow {
    let id: LocalID
    let writes: RowWrites
    let layout: EntityLayout
    /// The columns that were read together with the row.
    var columns: HeldColumns?

    /// The value that the row holds now.
    func value(of column: TableLayout.Column, on connection: Connection) throws -> PropertyValue {
        if let value = columns?.value(of: column, in: id) { return value }
        return try connection.cached(
            "SELECT \(column.name) FROM \(layout.table.name) WHERE ab_pk = ?", id
        ).first { $0.slot(at: 0, as: column.kind) } ?? .null
    }

    /// The value of a property in its wire form, as its columns represent it; a list reference
    /// includes the position.
    func wireValue(
        of property: TableLayout.Property, _ transaction: StateTransaction
    ) throws -> PropertyValue {
        if let value = columns?.wireValue(of: property, in: id, transaction.replicas) {
            return value
        }
        let names = property.names.joined(separator: ", ")
        return try transaction.connection.cached(
            "SELECT \(names) FROM \(layout.table.name) WHERE ab_pk = ?", id
        ).first { $0.wireValue(at: 0, of: property, transaction.replicas) } ?? .null
    }
}

/// The columns of the row that a `RowReader` read last, valid until it leaves the row.
final class HeldColumns {
    /// The statement's column by slot; −1 for a slot that is not read.
    private let places: [Int]
    @exclusivity(unchecked) private var standing: (row: LocalID, statement: Statement)?

    /// Creates the mapping.
    ///
    /// - Parameter first: The statement's column with the first property; the others follow in
    ///   order.
    init(first: Int, _ properties: [TableLayout.Property], of entity: EntityDescription) {
        var places = Array(repeating: -1, count: entity.slots.count)
        var place = first
        for column in properties.flatMap(\.columns) {
            places[column.slot] = place
            place += column.names.count
        }
        self.places = places
    }

    func stand(on row: LocalID, of statement: Statement) { standing = (row, statement) }

    func leave() { standing = nil }

    fileprivate func value(of column: TableLayout.Column, in id: LocalID) -> PropertyValue? {
        guard let standing, standing.row == id, let place = place(of: column) else { return nil }
        return standing.statement.slot(at: place, as: column.kind)
    }

    fileprivate func wireValue(
        of property: TableLayout.Property, in id: LocalID, _ replicas: ReplicaTable
    ) -> PropertyValue? {
        guard let standing, standing.row == id, let place = place(of: property.column) else {
            return nil
        }
        return standing.statement.wireValue(at: place, of: property, replicas)
    }

    private func place(of column: TableLayout.Column) -> Int? {
        places[column.slot] >= 0 ? places[column.slot] : nil
    }
}
