import AnabranchModel
import AnabranchReplication
import AnabranchStore

// An ID may name a record together with an entity that is not the record's own: it comes from a
// URI, or was made of a `RecordID` and the entity that a relationship leads to. Until a row tells,
// there is a fault of that entity's class under the record's number, an impostor. It never takes
// over the row, whose values another class lays out otherwise: it leaves the context as what is
// deleted does, without being told as a deletion, because the record is still there.
extension ManagedObjectContext {
    /// As ``held(_:)``, of a record that is known to be of an entity, or of one below it.
    func held(_ id: LocalID, of entity: EntityDescription) -> ManagedObject? {
        guard let object = held(id) else { return nil }
        // What has a row, or is new, is what it says.
        if !object.flags.isDisjoint(with: [.hasRow, .inserted]) { return object }
        if object.entity === entity || object.entity.isKind(of: entity) { return object }
        dismiss(object)
        return nil
    }

    /// Takes an impostor out of the context. It calls nobody, and leaves the impostor registered
    /// until another object takes its place, so that no deinit runs in the middle of a read.
    func setAside(_ impostor: ManagedObject) {
        guard !impostor.flags.contains(.detached) else { return }
        counts.add(impostor.flags, -1)
        impostor.flags.subtract([.updated, .recordedInEvent, .writable])
        impostor.flags.formUnion([.deleted, .detached, .isFired])
        impostor.relations = nil
        impostor.fillSlots()
        unpropagated.removeAll { $0 === impostor }
    }

    /// As ``setAside(_:)``, where nobody takes its place.
    func dismiss(_ impostor: ManagedObject) {
        setAside(impostor)
        if registry[impostor.localID] === impostor { registry.remove(impostor.localID) }
    }

    /// Dismisses those of some objects whose records have rows of other entities.
    ///
    /// - Parameter objects: Faults that no row was found for.
    /// - Returns: The others, whose records are gone.
    /// - Throws: ``StoreError``; all are as they were.
    func dismissImpostors(among objects: [ManagedObject]) throws -> [ManagedObject] {
        guard !objects.isEmpty else { return [] }
        let ids = objects.map(\.localID).sorted()
        var present: Set<LocalID> = []
        for entity in model.entities where entity.superentity == nil {
            try readRows(of: entity, ids: ids) { present.insert($0.id) }
        }
        for object in objects where present.contains(object.localID) { dismiss(object) }
        return objects.filter { !present.contains($0.localID) }
    }
}

extension ManagedObject {
    /// Whether a row is of the object's own entity.
    final func fits(_ row: ObjectRow) -> Bool { Int(row.entityIndex) == entity.index }
}
