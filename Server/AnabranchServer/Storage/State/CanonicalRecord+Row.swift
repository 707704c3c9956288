import AnabranchReplication

extension CanonicalRecord {
    /// Creates the record of a row, without its links.
    ///
    /// - Parameters:
    ///   - property: Returns the property of a number.
    ///   - replica: Returns the replica of an ordinal.
    init(
        _ row: StateRow, id: RecordID, entity: WireName,
        property: (Int64) throws -> WireProperty, replica: (Int64) throws -> ReplicaID
    ) throws {
        let list = try CellList(of: row)
        self.init(
            id: id, entity: entity,
            cells: try list.cells.map { cell in
                CanonicalRecord.Cell(
                    property: try property(cell.property),
                    value: try cell.value.value(replica: replica),
                    stamp: Stamp(
                        timestamp: HybridTimestamp(rawValue: cell.timestamp),
                        replica: try replica(cell.author)))
            },
            deleteMark: try row.seen.map {
                DeleteMark(seen: try StoredTags.stamps(decoding: $0, replica: replica))
            })
    }
}
