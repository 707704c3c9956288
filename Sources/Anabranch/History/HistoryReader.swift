import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Converts entries of the change log to history transactions.
struct HistoryReader {
    let coordinator: PersistentStoreCoordinator

    private struct Touched {
        var entity: EntityDescription
        var properties: Set<String> = []
    }

    /// Converts the entries of the log and the saves of unsynced objects, each in the order of
    /// their positions, to transactions in one order.
    ///
    /// A save that has changed both is one transaction.
    func transactions(
        _ entries: [StoredLogEntry], _ unsynced: [UnsyncedSave]
    ) throws -> [HistoryTransaction] {
        var rest = unsynced[...]
        var found: [HistoryTransaction] = []
        for entry in entries {
            while let save = rest.first, save.position < entry.localPosition {
                found.append(transaction(rest.removeFirst()))
            }
            let isWhole = rest.first?.position != entry.localPosition
            found.append(try transaction(entry, isWhole ? nil : rest.removeFirst()))
        }
        return found + rest.map(transaction)
    }

    private func transaction(
        _ entry: StoredLogEntry, _ unsynced: UnsyncedSave?
    ) throws -> HistoryTransaction {
        let set = entry.changeSet
        var all = set.kind.isSave ? try changes(set) : []
        if let unsynced {
            all += changes(unsynced)
            all = HistoryTransaction.Change.Kind.inOrder.flatMap { kind in
                all.filter { $0.kind == kind }
            }
        }
        return HistoryTransaction(
            position: HistoryPosition(rawValue: entry.localPosition), dot: set.dot,
            timestamp: set.timestamp, author: set.author, contextName: set.name, changes: all)
    }

    private func transaction(_ save: UnsyncedSave) -> HistoryTransaction {
        HistoryTransaction(
            position: HistoryPosition(rawValue: save.position), dot: nil,
            timestamp: save.timestamp, author: save.author, contextName: save.name,
            changes: changes(save))
    }

    /// The changes of unsynced objects. Properties that the model no longer has are left out.
    private func changes(_ save: UnsyncedSave) -> [HistoryTransaction.Change] {
        var properties: [ManagedObjectID: Set<String>] = [:]
        var kinds: [ManagedObjectID: HistoryTransaction.Change.Kind] = [:]
        var order: [ManagedObjectID] = []
        for change in save.changes {
            let names = change.properties.filter { change.entity.property(named: $0) != nil }
            let kind = HistoryTransaction.Change.Kind(change.kind)
            for localID in change.ids {
                let id = ManagedObjectID(
                    origin: coordinator.origin, entity: change.entity, localID: localID)
                if let present = kinds[id] {
                    if present == .update { kinds[id] = kind }
                } else {
                    order.append(id)
                    kinds[id] = kind
                }
                properties[id, default: []].formUnion(names)
            }
        }
        let all = order.map { id in
            let kind = kinds[id] ?? .update
            return HistoryTransaction.Change(
                kind: kind, objectID: id,
                updatedProperties: kind == .update ? properties[id, default: []].sorted() : [])
        }
        return HistoryTransaction.Change.Kind.inOrder.flatMap { kind in
            all.filter { $0.kind == kind }
        }
    }

    /// An entity with objects that change sets change.
    private func entity(_ name: WireName) -> EntityDescription? {
        coordinator.model.entity(wireName: name).flatMap { $0.isSynced ? $0 : nil }
    }

    /// Returns the changes of a change set. Entities and properties that the model does not know
    /// are left out; the log keeps them.
    private func changes(_ set: ChangeSet) throws -> [HistoryTransaction.Change] {
        var inserted: [HistoryTransaction.Change] = []
        var deleted: [HistoryTransaction.Change] = []
        var touched: [RecordID: Touched] = [:]
        var order: [RecordID] = []
        func touch(_ record: RecordID, _ entity: EntityDescription, _ properties: [String]) {
            if touched[record] == nil { order.append(record) }
            touched[record, default: Touched(entity: entity)].properties.formUnion(properties)
        }
        try coordinator.store.forEachBlock(of: set) { block in
            switch block {
            case .insert(let rows):
                inserted += try changes(.insert, rows.entity, rows.records)
            case .update(let rows), .add(let rows):
                guard let entity = self.entity(rows.entity) else { return }
                let names = rows.properties.flatMap { Self.names(of: $0, entity) }
                for record in rows.records { touch(record, entity, names) }
            case .write(let block):
                guard let entity = self.entity(block.entity),
                    let property = entity.property(wireName: block.property.name)
                else { return }
                for write in block.writes { touch(write.record, entity, [property.name]) }
            case .delete(let records):
                deleted += try changes(.delete, records.entity, records.records)
            case .yieldingDelete(let block):
                deleted += try changes(.delete, block.entity, block.deletes.map(\.record))
            case .link(let links), .unlink(let links), .move(let links):
                guard let entity = self.entity(links.entity),
                    let property = entity.property(wireName: links.property.name)
                else { return }
                for link in links.links { touch(link.left, entity, [property.name]) }
            case .unknown: return
            }
        }
        let new = Set(inserted.map(\.objectID))
        let updated = try order.compactMap { record -> HistoryTransaction.Change? in
            guard let touched = touched[record],
                let id = try coordinator.managedObjectID(for: record, entity: touched.entity),
                !new.contains(id)
            else { return nil }
            return HistoryTransaction.Change(
                kind: .update, objectID: id, updatedProperties: touched.properties.sorted())
        }
        return inserted + updated + deleted
    }

    /// Returns the names of the properties of a wire property; for an attribute group all members,
    /// which are written together.
    private static func names(of property: WireProperty, _ entity: EntityDescription) -> [String] {
        if let group = entity.attributeGroup(property) {
            return group.members.map(\.attribute.name)
        }
        return entity.property(wireName: property.name).map { [$0.name] } ?? []
    }

    private func changes(
        _ kind: HistoryTransaction.Change.Kind, _ entity: WireName, _ records: [RecordID]
    ) throws -> [HistoryTransaction.Change] {
        guard let entity = self.entity(entity) else { return [] }
        return try records.compactMap { record in
            try coordinator.managedObjectID(for: record, entity: entity).map {
                HistoryTransaction.Change(kind: kind, objectID: $0, updatedProperties: [])
            }
        }
    }
}

extension HistoryTransaction.Change.Kind {
    /// The order of the changes of a transaction.
    fileprivate static let inOrder: [Self] = [.insert, .update, .delete]

    fileprivate init(_ kind: UnsyncedChange.Kind) {
        self =
            switch kind {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the saves that this file holds, in the order in which the file received them: own
    /// saves at the time of the save, saves of other replicas at the time of the sync.
    ///
    /// Changes of objects that are kept in this store only are included, so that other contexts and
    /// processes can follow them.
    ///
    /// A store that syncs keeps the history as long as `StoreOptions.logRetention` says.
    ///
    /// - Parameters:
    ///   - position: The position of the last transaction that was already read; only later ones
    ///     are returned. ``HistoryPosition/start`` returns all that are left.
    ///   - limit: The greatest number of transactions.
    /// - Throws: `StoreError`; with code `historyExpired` if later transactions were removed.
    public func history(
        after position: HistoryPosition = .start, limit: Int = .max
    ) throws -> [HistoryTransaction] {
        let reader = HistoryReader(coordinator: self)
        let (entries, unsynced) = try store.read {
            try $0.checkHistory(after: position.rawValue, path: store.path)
            return (
                try $0.changeSets(after: position.rawValue, limit: limit),
                try $0.unsyncedSaves(after: position.rawValue, limit: limit)
            )
        }
        return Array(try reader.transactions(entries, unsynced).prefix(limit))
    }

    /// Returns the position of the last save that this file holds.
    ///
    /// - Throws: `StoreError`.
    public func currentHistoryPosition() throws -> HistoryPosition {
        HistoryPosition(rawValue: try store.read { try $0.logPosition() })
    }
}

extension ManagedObjectContext {
    /// Returns the position of the last save that the context reads: of the newest state, or of
    /// the state to which it is pinned.
    ///
    /// With a pinned context, a fetch and this position describe the same state: the history after
    /// the position is all that has happened to the fetched objects since.
    ///
    /// - Throws: `StoreError`.
    package func currentHistoryPosition() throws -> HistoryPosition {
        checkQueue()
        return HistoryPosition(rawValue: try readStore { try $0.logPosition() })
    }
}
