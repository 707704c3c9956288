package import AnabranchModel
public import AnabranchReplication
import AnabranchSQLite

/// A write of a property that a record holds, whether its object shows it or not.
public struct HeldWrite: Sendable {
    /// The record that holds the value: the object's own record, or a merged duplicate.
    public let record: RecordID
    /// The value in its portable form; a reference names a record.
    public let value: Value
    /// The author and the time of the write.
    public let write: Conflict.Write
}

extension StoreReader {
    /// The writes of a property that the records of an object hold, the latest first.
    ///
    /// An object that shows merged duplicates has the writes of all of them. A property under
    /// `keepBoth` has every value that no write has replaced. A reference that a view rule hides is
    /// included. Writes of a former property are converted.
    ///
    /// - Parameters:
    ///   - id: The visible record.
    ///   - entity: The record's entity.
    package func heldWrites(
        of property: WireProperty, _ id: LocalID, _ entity: EntityDescription
    ) throws -> [HeldWrite] {
        let duplicates = MergedDuplicateRows(connection, isUsed: !schema.constraints.isEmpty)
        let members = try duplicates.isEmpty ? [] : duplicates.members(of: id)
        let replicas = try replicas()
        let rows = try CanonicalRows(self, replicas: replicas)
        let records =
            if members.isEmpty {
                [try rows.record(id, in: schema.layout(of: entity).table)]
            } else {
                // The state of a member is among the deferred rows, also that of the visible one.
                try members.map { try rows.record($0, table: schema.tables.count) }
            }
        let logged = LoggedStamps(connection: connection)
        return try records.compactMap(\.self).flatMap { record in
            try record.cells.compactMap { cell -> HeldWrite? in
                let shown = schema.shown(
                    cell.value, in: cell.property, of: record.id, record.entity)
                guard shown.property == property else { return nil }
                let author = try replicas.ordinal(of: cell.stamp.replica).flatMap { ordinal in
                    try logged.write(
                        of: LocalStamp(
                            timestamp: cell.stamp.timestamp.rawValue, ordinal: ordinal))
                }?.author
                return HeldWrite(
                    record: record.id, value: shown.value,
                    write: Conflict.Write(stamp: cell.stamp, author: author ?? ""))
            }
        }.sorted { $1.write.stamp < $0.write.stamp }
    }
}
