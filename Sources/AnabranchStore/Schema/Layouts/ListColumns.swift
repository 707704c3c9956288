import AnabranchReplication
import AnabranchSQLite

// A reference into an ordered relationship has two columns: the target's local ID and the position.
// Both are one register, which travels as a `ListEntry`.

extension Statement {
    /// Binds a value to the columns of a property.
    ///
    /// - Parameter index: The first parameter to bind; on return, the parameter after the last one
    ///   bound.
    func bind(
        _ value: PropertyValue, to property: TableLayout.Property, at index: inout Int,
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

    /// Binds a value to one column, or to the two columns of a list reference.
    ///
    /// - Parameters:
    ///   - value: A plain reference as a local ID, or a list reference in its wire form. Any other
    ///     value of a list reference is bound as a value of a later format is, without a position.
    ///   - localID: Gives the local ID of the target of a list entry.
    func bind(
        _ value: PropertyValue, to column: TableLayout.Column, at index: Int,
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

    /// Reads the wire value of a property.
    ///
    /// - Parameter hidden: The target that a view rule hides; `nil` if the row shows its own
    ///   reference.
    func wireValue(
        at index: Int, of column: TableLayout.Column, _ replicas: ReplicaTable,
        hidden: LocalID? = nil
    ) -> PropertyValue {
        let value = hidden.map { .integer($0) } ?? slot(at: index, as: column.kind)
        guard column.kind == .reference, case .integer(let id) = value else { return value }
        guard let target = replicas.record(id) else { return .null }
        guard column.position != nil, !isNull(at: index + 1),
            let position = ListPosition(bytes: bytes(at: index + 1))
        else { return .reference(target) }
        return ListEntry(target: target, position: position).value
    }

    /// Reads the wire value of one column, of which the model does not know the property.
    func wireValue(at index: Int, as kind: ColumnKind, _ replicas: ReplicaTable) -> PropertyValue {
        let value = slot(at: index, as: kind)
        guard kind == .reference, case .integer(let id) = value else { return value }
        return replicas.record(id).map(PropertyValue.reference) ?? .null
    }
}
