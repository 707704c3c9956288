import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport

/// All that a store shows, under identities that are equal on every store.
struct ShownState: Equatable {
    private struct Row: Equatable {
        let entity: String
        let values: [String: String]
    }

    private var rows: [RecordID: Row] = [:]

    /// Indicates whether nothing is shown.
    var isEmpty: Bool { rows.isEmpty }

    init(_ store: Store) throws {
        try store.read { reader in
            var ids: [LocalID] = []
            try reader.canonicalRecords { record in
                if let id = try store.localID(of: record.id) { ids.append(id) }
            }
            for root in store.model.entities where root.superentity == nil {
                var found: [RowSnapshot] = []
                try reader.rows(of: root, ids: ids) { found.append(RowSnapshot($0)) }
                for row in found {
                    guard let id = try store.recordID(of: row.id) else { continue }
                    rows[id] = Row(
                        entity: row.entity.name, values: try Self.values(of: row, store, reader))
                }
            }
        }
    }

    private static func values(
        of row: RowSnapshot, _ store: Store, _ reader: StoreReader
    ) throws -> [String: String] {
        var values: [String: String] = [:]
        for property in row.entity.slots {
            switch property {
            case .attribute(let attribute) where attribute.isStored:
                values[property.name] = "\(row.slots[property.slot])"
            case .relationship(let relationship):
                let ends = try reader.related(by: relationship, of: [row.id])
                let records = try ends.map { "\(try store.recordID(of: $0.id)?.description ?? "")" }
                values[property.name] = "\(relationship.isOrdered ? records : records.sorted())"
            default: break
            }
        }
        return values
    }
}
