import AnabranchModel
import AnabranchReplication
import AnabranchStore

// What a policy takes back of an object's changes.
extension ManagedObjectContext {
    /// Takes back what a changed reference has noted at its two targets.
    func takeBackReference(of object: ManagedObject, _ relationship: RelationshipDescription) {
        guard let inverse = relationship.inverse, object.isChangedSinceCommit(relationship.slot)
        else { return }
        if relationship.isMutual { takeBackPartners(of: object, relationship) }
        let id = object.localID
        change(inverse, at: object.slots[relationship.slot]) { $0.remove(id) }
        change(inverse, at: object.committed[relationship.slot]) { $0.add(id) }
    }

    /// Takes back the edits of the objects that a changed pair has joined and parted.
    private func takeBackPartners(
        of object: ManagedObject, _ relationship: RelationshipDescription
    ) {
        let slot = relationship.slot
        for value in [object.slots[slot], object.committed[slot]] {
            guard case .integer(let id) = value, let partner = held(id), partner !== object,
                partner.flags.contains(.inserted) || partner.isChangedSinceCommit(slot)
            else { continue }
            savePoint?.capture(partner)
            partner.reportChange(slot)
            partner.slots[slot] = partner.committed.isEmpty ? .null : partner.committed[slot]
        }
    }

    /// Lets a relationship be read again when it is next needed.
    func askAnew(for relationship: RelationshipDescription?, at target: PropertyValue) {
        guard let relationship, case .integer(let id) = target,
            let object = held(id), !object.flags.contains(.inserted)
        else { return }
        change(relationship, at: target) { $0.unload() }
    }

    /// Changes a relationship of an object that is registered and has used it.
    func change(
        _ relationship: RelationshipDescription, at target: PropertyValue,
        _ body: (inout RelationState) -> Void
    ) {
        guard case .integer(let id) = target, let object = held(id),
            let index = object.home.plan.relationIndex(of: relationship),
            object.relations != nil
        else { return }
        savePoint?.capture(object)
        object.changeRelation(index, body)
    }

    /// Takes back the links that were added to and removed from an object, at both ends, and what
    /// was moved in its lists. What others refer to it by is theirs.
    func takeBackLinks(of object: ManagedObject) {
        guard let table = object.relations else { return }
        let id = object.localID
        for (index, relationship) in object.home.plan.relations.enumerated() {
            table.states[index].forgetMoves()
            guard relationship.storage.side != nil, table.changes(at: index) else { continue }
            let state = table.states[index]
            object.reportChange(relationship.slot)
            if !state.isTransient || !table.states[index].takeBack() {
                table.states[index] = RelationState(relationship)
            }
            guard let inverse = relationship.inverse else { continue }
            for (others, isAdded) in [(state.added, true), (state.removed, false)] {
                for other in others where other != id || inverse != relationship {
                    guard let object = held(other),
                        let place = object.home.plan.relationIndex(of: inverse),
                        object.relations != nil
                    else { continue }
                    savePoint?.capture(object)
                    object.changeRelation(place) { isAdded ? $0.remove(id) : $0.add(id) }
                }
            }
        }
    }

    /// Takes an object's deletion back and gives it the store's row.
    func undelete(_ object: ManagedObject, as row: FreshRow) {
        reclassify(object) { $0.subtract([.deleted, .updated]) }
        forgetEdits(of: object)
        unpropagated.removeAll { $0 === object }
        deletedIDs.remove(object.localID)
        object.version = row.version
        object.reportChanges()
        object.slots = SlotStorage(copying: row.slots)
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.relations = nil
        object.flags.formUnion(.hasRow)
        object.flags.subtract(.refault)
        if !deletedIDs.isEmpty { clearReferences(of: object, to: deletedIDs) }
        event.refreshed.append(object)
    }

    /// Reads again the objects whose references were cleared because what they led to was deleted
    /// here.
    ///
    /// - Parameter rows: Those that were read already.
    func readAgainWhatReferred(_ rows: [LocalID: RowCopy] = [:]) throws {
        let objects = objectsThatReferred
        for object in objects { savePoint?.capture(object) }
        try refreshMerging(objects, rows)
    }

    /// Those that lack what is deleted here.
    var objectsThatReferred: [ManagedObject] {
        Set(refaultedIDs).sorted().compactMap(held).filter {
            $0.flags.contains(.refault) && $0.flags.isDisjoint(with: [.inserted, .deleted])
        }
    }
}
