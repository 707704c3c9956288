import AnabranchReplication
import AnabranchSQLite

// A reference into a list has two columns, the target's local ID and the position; both are one
// register, which travels as a `ListEntry`.

extension Statement {
    /// Binds a value to the columns of a property.
    ///
    /// - Parameter index: Of the first parameter; afterwards the one behind the last.
    func bind(
        _ value: Value, to property: TableLayout.Property, at index: inout Int,
        _ localID: (RecordID) throws -> LocalID
    ) throws {
        guard property.group != nil else {
            try bind(value, to: property.column, at: index, localID)
            index += property.column.position == nil ? 1 : 2
            return
        }
        for (column, value) in property.cells(of: value) {
            try bind(slot: value, at: index, as: column.kind)
            index += 1
        }
    }

    /// Binds a value to the column or the columns of a property.
    ///
    /// - Parameters:
    ///   - value: A reference as a local ID; one into a list as it travels. Any other value of
    ///     such a property keeps its place as a value of a later format does, without a position.
    ///   - localID: Of a record that a list entry leads to.
    func bind(
        _ value: Value, to column: TableLayout.Column, at index: Int,
        _ localID: (RecordID) throws -> LocalID
    ) throws {
        guard column.position != nil else {
            return try bind(slot: value, at: index, as: column.kind)
        }
        guard let entry = ListEntry(value) else {
            try bind(slot: value, at: index, as: column.kind)
            return try bindNull(at: index + 1)
        }
        try bind(localID(entry.target), at: index)
        try bind(entry.position.bytes, at: index + 1)
    }

    /// The value of a property as it travels.
    ///
    /// - Parameter hidden: Of a reference that the row holds and does not show, its target.
    func wireValue(
        at index: Int, of column: TableLayout.Column, _ replicas: ReplicaTable,
        hidden: LocalID? = nil
    ) -> Value {
        let value = hidden.map { .integer($0) } ?? slot(at: index, as: column.kind)
        guard column.kind == .reference, case .integer(let id) = value else { return value }
        guard let target = replicas.record(id) else { return .null }
        guard column.position != nil, !isNull(at: index + 1),
            let position = ListPosition(bytes: bytes(at: index + 1))
        else { return .reference(target) }
        return ListEntry(target: target, position: position).value
    }
}
