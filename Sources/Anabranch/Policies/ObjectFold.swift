import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Gives an object what another one has that is to go, because both would hold one unique key: the
/// values that count, and everybody who is related to it.
struct ObjectFold {
    private let context: ManagedObjectContext
    private let object: ManagedObject
    private let other: ManagedObject
    private let way: MergeResolution.Way

    /// - Parameters:
    ///   - object: That goes.
    ///   - other: That remains. Both are realised.
    init(
        _ context: ManagedObjectContext, from object: ManagedObject, into other: ManagedObject,
        _ way: MergeResolution.Way
    ) {
        self.context = context
        self.object = object
        self.other = other
        self.way = way
    }

    func run() throws {
        if way != .rollback {
            for unit in object.home.plan.units where isShared(unit) { foldAttributes(unit) }
        }
        for relationship in object.home.plan.references { try foldReference(relationship) }
        for relationship in object.home.plan.relations { try foldRelation(relationship) }
    }

    /// Both may be of different entities below the one that has the constraint.
    private func isShared(_ property: PropertyDescription) -> Bool {
        other.entity.isKind(of: property.entity)
    }

    private func isShared(_ unit: EntityPlan.Unit) -> Bool {
        unit.slots.allSatisfy {
            object.entity.slots[$0].attribute != nil && isShared(object.entity.slots[$0])
        }
    }

    // MARK: - Values

    private func foldAttributes(_ unit: EntityPlan.Unit) {
        guard way == .overwrite || unit.slots.contains(where: isSet) else { return }
        if way == .mergeByPropertyStoreTrump, !unit.isCounter,
            unit.slots.contains(where: { !other.slots[$0].isNull })
        {
            return
        }
        for slot in unit.slots { fold(slot) }
        guard let group = unit.group,
            let carried = context.carriedGroups[object]?[group]
        else { return }
        context.carriedGroups[other, default: [:]][group] = carried
    }

    /// Whether the app has given a new object something there. A default that nobody has written is
    /// no word against what another object has, nor is null.
    private func isSet(_ slot: Int) -> Bool {
        let value = object.slots[slot]
        guard !value.isNull else { return false }
        return value != object.home.plan.defaults[slot] || slot < 63 && object.isWritten(slot)
    }

    private func fold(_ slot: Int) {
        let (value, held) = (object.slots[slot], other.slots[slot])
        let property = object.entity.slots[slot].wireProperty
        guard property.rule == .counter else {
            guard value != held, property.rule.admits(value, over: held) else { return }
            return other.write(value, to: slot)
        }
        guard isSet(slot) else { return }
        other.write(
            held.isNull ? value : Counter.sum(held, value, of: property.type), to: slot)
    }

    // MARK: - Relationships

    private func foldReference(_ relationship: RelationshipDescription) throws {
        // An object that is to be deleted lets go by itself; a new one has told its target.
        guard object.flags.contains(.inserted) else { return }
        let slot = relationship.slot
        let target = try context.targetOrThrow(of: object, by: relationship)
        try context.setTarget(of: object, by: relationship, to: nil)
        guard way != .rollback, isShared(.relationship(relationship)) else { return }
        let isKept =
            target == nil ? way != .overwrite : !way.isOfContext && !other.slots[slot].isNull
        if !isKept {
            try context.setTarget(
                of: other, by: relationship, to: target === object ? other : target)
        }
    }

    private func foldRelation(_ relationship: RelationshipDescription) throws {
        let members = try context.objects(
            listed: try context.listedMembers(of: object, by: relationship),
            of: relationship.destination)
        let isShared = isShared(.relationship(relationship))
        for member in members {
            if relationship.isToMany {
                try context.remove(member, from: object, relationship)
                // What was a link to itself goes with it.
                guard isShared, member !== object else { continue }
                try context.insert(member, into: other, relationship)
            } else {
                try context.setTarget(of: object, by: relationship, to: nil)
                guard isShared, try !isTaken(relationship) else { continue }
                try context.setTarget(of: other, by: relationship, to: member)
            }
        }
    }

    /// Whether the end of a one-to-one has somebody who stays there.
    private func isTaken(_ relationship: RelationshipDescription) throws -> Bool {
        guard !way.isOfContext else { return false }
        return try context.targetID(of: other, by: relationship) != nil
    }
}
