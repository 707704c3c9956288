import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// What dropping the changes of one object needs of the store, read beforehand.
///
/// It is kept until they are dropped: what nobody holds would have to be read again.
struct DiscardReading {
    private let context: ManagedObjectContext
    /// Those whom the changes have related the object to, or taken it from, and whom these were
    /// related to.
    private(set) var ends: Set<ManagedObject> = []
    /// Of changed objects that lack an object because it is deleted here.
    private(set) var rows: [LocalID: RowCopy] = [:]

    init(for object: ManagedObject, in context: ManagedObjectContext) throws {
        self.context = context
        let isPropagated = context.deletedIDs.contains(object.localID)
        if !isPropagated { try readTargets(of: object) }
        try readMembers(of: object, isPropagated)
        if isPropagated { try readRows() }
    }

    private mutating func readTargets(of object: ManagedObject) throws {
        guard object.flags.contains(.isFired),
            object.flags.contains(.inserted) || !object.committed.isEmpty
        else { return }
        for relationship in object.home.plan.references {
            try readTargets(of: object, by: relationship)
        }
    }

    /// The present target and the former one; of a one-to-one also who else refers to them.
    private mutating func readTargets(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) throws {
        guard object.flags.contains(.hasRow) else { return }
        let slot = relationship.slot
        for value in [object.slots[slot], object.committedValue(slot)] {
            guard case .integer(let id) = value, !context.goneIDs.contains(id),
                let target = try context.object(id, of: relationship.destination)
            else { continue }
            ends.insert(target)
            if relationship.isMutual, try target.isRealised(in: context),
                let partner = try context.targetOrThrow(of: target, by: relationship)
            {
                ends.insert(partner)
            }
            guard let inverse = relationship.inverse, !inverse.isToMany,
                let index = target.home.plan.relationIndex(of: inverse)
            else { continue }
            let holders = try context.members(of: target, at: index)
            ends.formUnion(try context.objects(holders, of: inverse.destination))
        }
    }

    private mutating func readMembers(of object: ManagedObject, _ isPropagated: Bool) throws {
        guard let table = object.relations else { return }
        for (index, relationship) in object.home.plan.relations.enumerated()
        where table.changes(at: index) {
            let state = table.states[index]
            let others = try context.objects(
                state.added.union(state.removed), of: relationship.destination)
            ends.formUnion(others)
            if relationship.storage == .inverseReference, let inverse = relationship.inverse {
                for other in others where other.flags.isDisjoint(with: [.deleted, .detached]) {
                    try readTargets(of: other, by: inverse)
                }
            } else if !isPropagated {
                _ = try context.members(of: object, at: index)
                if let inverse = relationship.inverse {
                    try context.loadMissing(inverse, of: others)
                }
            }
        }
    }

    /// Who has changes, or may have some when they are given what they had.
    private mutating func readRows() throws {
        let referring = context.objectsThatReferred.filter { $0.hasChanges || ends.contains($0) }
        for (entity, group) in Dictionary(grouping: referring, by: \.entity) {
            try context.readRows(of: entity, ids: group.map(\.localID).sorted()) { row in
                rows[row.id] = RowCopy(row)
            }
        }
    }
}
