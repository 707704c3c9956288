import AnabranchModel
import AnabranchReplication

// A save writes the rows of entities that are kept in this store only in the same pass as any other
// rows, under the same position. They differ in one thing: they are not encoded.
extension SaveOperation {
    /// Runs a body that writes rows which are kept in this store only.
    mutating func asUnsynced(_ body: (inout SaveOperation) throws -> Void) throws {
        let synced = (encoder: encoder, lists: lists)
        isUnsynced = true
        encoder = ChangePayloadEncoder(author: replica)
        // Positions in lists are unique by the dot of the save. A save of unsynced rows alone takes
        // no dot, so its position in the log's sequence is the number.
        lists =
            unsyncedLists
            ?? SavedListPositions(
                connection, schema: schema,
                dot: Dot(replica: replica, sequence: UInt64(position)))
        try body(&self)
        unsyncedLists = lists
        isUnsynced = false
        (encoder, lists) = synced
    }
}

extension SaveRequest {
    /// Takes out the records that are kept in this store only. No relationship connects them with
    /// synced ones. All checks stay.
    ///
    /// - Returns: A request of these records; `nil` if there are none.
    mutating func takeUnsynced() -> SaveRequest? {
        var unsynced = SaveRequest(author: author, name: name)
        unsynced.inserts = inserts.filter { !$0.entity.isSynced && !$0.rows.isEmpty }
        unsynced.updates = updates.filter { !$0.entity.isSynced && !$0.rows.isEmpty }
        unsynced.deletes = deletes.filter { !$0.entity.isSynced && !$0.rows.isEmpty }
        unsynced.links = links.filter { !$0.relationship.entity.isSynced }
        unsynced.lists = lists.filter { !$0.relationship.entity.isSynced }
        guard !unsynced.isEmpty else { return nil }
        inserts.removeAll { !$0.entity.isSynced }
        updates.removeAll { !$0.entity.isSynced }
        deletes.removeAll { !$0.entity.isSynced }
        links.removeAll { !$0.relationship.entity.isSynced }
        lists.removeAll { !$0.relationship.entity.isSynced }
        return unsynced
    }

    /// The changes of both requests, with the checks and the names of this one.
    func joined(with other: SaveRequest) -> SaveRequest {
        var joined = self
        joined.inserts += other.inserts
        joined.updates += other.updates
        joined.deletes += other.deletes
        joined.links += other.links
        joined.lists += other.lists
        return joined
    }

    /// The changes of a request of unsynced records, without the values.
    var unsyncedChanges: [UnsyncedChange] {
        let written = updates.map { update in
            UnsyncedChange(
                kind: .update, entity: update.entity,
                properties: update.rows.slots.map { update.entity.slots[$0].name },
                ids: update.rows.ids)
        }
        return inserts.map {
            UnsyncedChange(kind: .insert, entity: $0.entity, properties: [], ids: $0.rows.ids)
        } + written + linkedRecords + movedRecords
            + deletes.map {
                UnsyncedChange(
                    kind: .delete, entity: $0.entity, properties: [], ids: $0.rows.map(\.id))
            }
    }

    private var linkedRecords: [UnsyncedChange] {
        links.map { link in
            let isStored = link.relationship.storedSide == link.relationship
            return Self.change(
                of: link.relationship.storedSide, [isStored ? link.owner : link.other])
        }
    }

    /// The positions of a list that is stored as links belong to the links.
    private var movedRecords: [UnsyncedChange] {
        lists.filter { $0.relationship.storage != .inverseReference }.map { list in
            let isStored = list.relationship.storedSide == list.relationship
            return Self.change(
                of: list.relationship.storedSide, isStored ? [list.owner] : list.placed.sorted())
        }
    }

    private static func change(
        of relationship: RelationshipDescription, _ ids: [LocalID]
    ) -> UnsyncedChange {
        UnsyncedChange(
            kind: .update, entity: relationship.entity, properties: [relationship.name], ids: ids)
    }
}
