import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Follows new IDs of registered objects, wherever they are mentioned: the file took a new
    /// replica ID before they were saved, or their history forked after.
    ///
    /// - Parameter objects: Those that may mention one, if not any registered object may. Of what
    ///   was never saved these are pending changes; a fork of history concerns the whole context.
    /// - Returns: What was renamed here, old to new.
    @discardableResult
    func rename(
        _ names: [LocalID: LocalID], mentionedBy objects: [ManagedObject]? = nil
    ) -> [ManagedObjectID: ManagedObjectID] {
        guard !names.isEmpty else { return [:] }
        discardNumbers()
        recorder?.rename(names)
        if !followers.isEmpty { event.renamed.merge(names) { _, new in new } }
        var renamed: [ManagedObjectID: ManagedObjectID] = [:]
        for (old, new) in names {
            guard let object = held(old) else { continue }
            let before = object.objectID
            object.reportChanges()
            registry.remove(old)
            object.localID = new
            registry.insert(object, for: new)
            if deletedIDs.remove(old) != nil { deletedIDs.insert(new) }
            renamed[before] = object.objectID
        }
        refaultedIDs = refaultedIDs.map { names[$0] ?? $0 }
        for object in objects ?? registry.values { renameMentions(in: object, names) }
        for id in renamed.values { held(id.localID)?.listRelations() }
        children.enqueue { $0.rename(names) }
        return renamed
    }

    func renameMentions(in object: ManagedObject, _ names: [LocalID: LocalID]) {
        for relationship in object.home.plan.references where object.flags.contains(.hasRow) {
            let slot = relationship.slot
            if case .integer(let id) = object.slots[slot], let new = names[id] {
                object.slots[slot] = .integer(new)
            }
            guard !object.committed.isEmpty else { continue }
            if case .integer(let id) = object.committed[slot], let new = names[id] {
                object.committed[slot] = .integer(new)
            }
        }
        guard let table = object.relations else { return }
        for index in table.states.indices { table.states[index].rename(names) }
    }
}
