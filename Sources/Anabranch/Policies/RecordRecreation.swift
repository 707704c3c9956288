import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Makes new records of objects that others have deleted: an identity that was deleted never comes
/// back.
///
/// The objects stay, with their values, under new IDs. References and links that led to the old
/// records are written again, to the new ones: references as far as the store has them, links as
/// far as the context does.
struct RecordRecreation {
    private let context: ManagedObjectContext
    private let objects: [ManagedObject]
    private(set) var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// What is written again, once all objects have their new IDs.
    private var ends: [End] = []
    /// References that somebody has led elsewhere here.
    private var released: Set<Holding> = []

    private struct End {
        let object: ManagedObject
        let relationship: RelationshipDescription
        let other: LocalID
        /// Whether the other one has the relationship.
        var isHeldByOther = false
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
        for object in objects { recordEnds(of: object) }
        let others = context.objects(mentioning: gone)
        for other in others {
            context.savePoint?.capture(other)
            recordReferences(of: other, gone)
        }
        for object in objects { try recordHolders(of: object) }
        let dead = try deadEnds(gone)
        for other in others { release(other, gone) }
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

    // MARK: - What leads to the old records

    private mutating func recordEnds(of object: ManagedObject) {
        for relationship in object.home.plan.references {
            guard case .integer(let id) = object.slots[relationship.slot] else { continue }
            ends.append(End(object: object, relationship: relationship, other: id))
        }
        guard let table = object.relations else { return }
        for (index, relationship) in object.home.plan.relations.enumerated() {
            let state = table.states[index]
            let listed = state.members == nil ? state.added.sorted() : state.listed
            ends += listed.map { End(object: object, relationship: relationship, other: $0) }
        }
    }

    private mutating func recordReferences(of other: ManagedObject, _ gone: Set<LocalID>) {
        guard other.flags.contains(.hasRow) else { return }
        for relationship in other.home.plan.references {
            let slot = relationship.slot
            guard case .integer(let id) = other.slots[slot], gone.contains(id) else {
                if case .integer(let id) = other.committedValue(slot), gone.contains(id) {
                    released.insert(Holding(holder: other.localID, slot: slot))
                }
                continue
            }
            if let object = objects.first(where: { $0.localID == id }) {
                ends.append(
                    End(
                        object: object, relationship: relationship, other: other.localID,
                        isHeldByOther: true))
            }
        }
    }

    private mutating func recordHolders(of object: ManagedObject) throws {
        for (holder, relationship) in try context.coordinator.store.holders(of: object.localID)
        where !released.contains(Holding(holder: holder, slot: relationship.slot)) {
            ends.append(
                End(
                    object: object, relationship: relationship, other: holder,
                    isHeldByOther: true))
        }
    }

    /// Those at the other ends that are gone as well, and do not come back.
    private func deadEnds(_ gone: Set<LocalID>) throws -> Set<LocalID> {
        var seen: Set<LocalID> = []
        let others = ends.compactMap { end -> ManagedObject? in
            guard !gone.contains(end.other), seen.insert(end.other).inserted else { return nil }
            return context.held(end.other)
        }
        let saved = others.filter { !$0.flags.contains(.inserted) }
        let dead = try context.gone(among: saved) + others.filter { $0.flags.contains(.deleted) }
        return Set(dead.map(\.localID))
    }

    // MARK: - The new records

    /// The store has nothing any more that leads to the old records.
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
        // Their targets are to be told, too.
        for relationship in object.home.plan.references {
            object.slots[relationship.slot] = .null
        }
    }

    private func write(_ end: End, other id: LocalID) throws {
        let relationship = end.relationship
        let entity = end.isHeldByOther ? relationship.entity : relationship.destination
        guard let other = try context.object(id, of: entity), !other.flags.contains(.deleted)
        else { return }
        guard end.isHeldByOther else {
            if relationship.isToMany {
                return try context.insert(other, into: end.object, relationship)
            }
            return try context.setTarget(of: end.object, by: relationship, to: other)
        }
        try context.fireFault(other)
        guard !other.flags.contains(.detached), other.slots[relationship.slot].isNull else {
            return
        }
        try context.setTarget(of: other, by: relationship, to: end.object)
    }
}
