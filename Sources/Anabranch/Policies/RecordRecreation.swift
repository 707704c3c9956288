import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Creates new records of objects that other saves have deleted, because an identity that
/// was deleted never comes back.
///
/// The objects stay, with their values, under new IDs. References and links to the old records are
/// written again, to the new ones. What is written again depends on the store, on the unsaved
/// changes and on the objects themselves, never on which other objects are registered:
///
/// - References are those that the store has, also to a record that is gone, with the unsaved
///   changes of references laid over them.
/// - Links of a deleted record are in no store. The new record gets those that its object has read
///   or changed.
/// - A record that is gone itself, and that is not created anew, is left out.
struct RecordRecreation {
    private let context: ManagedObjectContext
    private let objects: [ManagedObject]
    private(set) var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// The ends that are written again once all objects have their new IDs.
    private var ends: [End] = []
    /// References that the store has otherwise than the context, or not at all.
    private var released: Set<Holding> = []
    /// Of these, the references to an old record.
    private var edited: [LocalID: [(holding: Holding, relationship: RelationshipDescription)]] = [:]

    private struct End {
        let object: ManagedObject
        let relationship: RelationshipDescription
        let other: LocalID
        /// True if the other record has the relationship.
        var isHeldByOther = false

        /// The entity of the other record, or one above it.
        var entity: EntityDescription {
            isHeldByOther ? relationship.entity : relationship.destination
        }
    }

    private struct Holding: Hashable {
        let holder: LocalID
        let slot: Int
    }

    init(_ context: ManagedObjectContext, _ objects: [ManagedObject]) {
        self.context = context
        self.objects = objects
    }

    mutating func run() throws {
        let gone = Set(objects.map(\.localID))
        for object in context.pending { recordEdits(of: object, gone) }
        for object in objects { try recordMembers(of: object) }
        for object in objects { try recordReferences(of: object) }
        let dead = try deadEnds(gone)
        for other in context.objects(mentioning: gone) {
            context.savePoint?.capture(other)
            release(other, gone)
        }
        var names: [LocalID: LocalID] = [:]
        for object in objects {
            let old = object.localID
            try rename(object)
            names[old] = object.localID
        }
        for end in ends where !dead.contains(end.other) {
            try write(end, other: names[end.other] ?? end.other)
        }
    }

    // MARK: - The ends of the old records

    /// Records the references that unsaved changes have led to one of the records, or elsewhere,
    /// and those of a record that is created anew itself, which no store has any more.
    private mutating func recordEdits(of other: ManagedObject, _ gone: Set<LocalID>) {
        guard other.flags.contains(.hasRow), !other.flags.contains(.deleted) else { return }
        let isUnstored = other.flags.contains(.inserted) || gone.contains(other.localID)
        for relationship in other.home.plan.references {
            let slot = relationship.slot
            guard isUnstored || other.isChangedSinceCommit(slot) else { continue }
            let holding = Holding(holder: other.localID, slot: slot)
            released.insert(holding)
            guard case .integer(let id) = other.slots[slot], gone.contains(id) else { continue }
            edited[id, default: []].append((holding, relationship))
        }
    }

    /// Records the members of an object's relationships that have no slot value: in a list in their
    /// order, as far as the object or the store has one.
    private mutating func recordMembers(of object: ManagedObject) throws {
        for (index, relationship) in object.home.plan.relations.enumerated() {
            let state = object.relations?.states[index]
            var known: [LocalID] = []
            if let state { known = state.members == nil ? state.added.sorted() : state.listed }
            if relationship.storage == .inverseReference {
                let members = try holders(of: object, by: relationship)
                let all = Set(members)
                let listed = Set(known)
                known = known.filter(all.contains) + members.filter { !listed.contains($0) }
            }
            ends += known.map { End(object: object, relationship: relationship, other: $0) }
        }
    }

    /// The records with the references that a relationship shows. The store finds them although
    /// the record that they refer to is gone; unsaved changes of references are laid over them.
    private func holders(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) throws -> [LocalID] {
        guard let inverse = relationship.inverse else { return [] }
        let id = object.localID
        let stored = try context.coordinator.store.read { reader in
            try reader.related(by: relationship, of: [id]).map(\.id)
        }
        let others = stored.filter {
            !released.contains(Holding(holder: $0, slot: inverse.slot))
        }
        return others
            + (edited[id] ?? []).filter { $0.relationship == inverse }.map(\.holding.holder)
    }

    /// Records the object's own references, and those of other records that no relationship of the
    /// object shows.
    private mutating func recordReferences(of object: ManagedObject) throws {
        for relationship in object.home.plan.references {
            guard case .integer(let id) = object.slots[relationship.slot] else { continue }
            ends.append(End(object: object, relationship: relationship, other: id))
        }
        let id = object.localID
        let stored = try context.coordinator.store.holders(of: id).filter {
            !released.contains(Holding(holder: $0.record, slot: $0.relationship.slot))
        }
        let others = stored + (edited[id] ?? []).map { ($0.holding.holder, $0.relationship) }
        for (holder, relationship) in others
        where relationship.inverse == nil || relationship.isMutual {
            ends.append(
                End(
                    object: object, relationship: relationship, other: holder,
                    isHeldByOther: true))
        }
    }

    /// The records at the other ends that are gone as well, and are not created anew.
    private func deadEnds(_ gone: Set<LocalID>) throws -> Set<LocalID> {
        var dead: Set<LocalID> = []
        var saved: [EntityDescription: Set<LocalID>] = [:]
        for end in ends where !gone.contains(end.other) {
            let flags = context.held(end.other)?.flags ?? []
            if flags.contains(.deleted) {
                dead.insert(end.other)
            } else if !flags.contains(.inserted) {
                saved[end.entity, default: []].insert(end.other)
            }
        }
        for (entity, ids) in saved {
            var missing = ids
            try context.coordinator.store.read { reader in
                try reader.rows(of: entity, ids: ids.sorted()) { missing.remove($0.id) }
            }
            dead.formUnion(missing)
        }
        return dead
    }

    // MARK: - The new records

    /// Takes the old records out of an object that mentions them.
    private func release(_ other: ManagedObject, _ gone: Set<LocalID>) {
        if other.flags.contains(.hasRow) {
            for relationship in other.home.plan.references {
                let slot = relationship.slot
                if case .integer(let id) = other.slots[slot], gone.contains(id) {
                    other.reportChange(slot)
                    other.slots[slot] = .null
                    other.recordWrite(slot)
                }
                guard !other.committed.isEmpty else { continue }
                if case .integer(let id) = other.committed[slot], gone.contains(id) {
                    other.committed[slot] = .null
                }
            }
        }
        other.forgetRelated(gone)
    }

    private mutating func rename(_ object: ManagedObject) throws {
        let before = object.objectID
        let number = try context.takeNumber()
        object.reportChanges()
        context.registry.remove(object.localID)
        context.unpropagated.removeAll { $0 === object }
        context.follow(renaming: object.localID, to: number)
        object.localID = number
        object.version = .none
        object.committed = SlotStorage()
        object.relations = nil
        context.reclassify(object) {
            $0.subtract([.updated, .refault])
            $0.formUnion([.inserted, .isFired])
        }
        context.recordChange(object)
        context.registry.insert(object, for: object.localID)
        renamed[before] = object.objectID
        // The ends are written again, so that the objects there learn of the new record.
        for relationship in object.home.plan.references {
            object.slots[relationship.slot] = .null
        }
    }

    private func write(_ end: End, other id: LocalID) throws {
        let relationship = end.relationship
        guard let other = try context.object(id, of: end.entity), !other.flags.contains(.deleted)
        else { return }
        guard end.isHeldByOther else {
            if relationship.isToMany {
                return try context.insert(other, into: end.object, relationship)
            }
            return try context.setTarget(of: end.object, by: relationship, to: other)
        }
        try context.fireFault(other)
        guard !other.flags.contains(.detached) else { return }
        try context.setTarget(of: other, by: relationship, to: end.object)
    }
}
