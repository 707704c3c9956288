import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Brings a changed object and the newer row of the store together, property by property; a group
/// of attributes is one.
struct RowMerge {
    private let object: ManagedObject
    private let row: FreshRow
    private let way: MergeResolution.Way
    /// What is written though the store has it: whatever an overwriting object can overwrite.
    private(set) var rewritten: Set<Int> = []

    init(_ object: ManagedObject, _ row: FreshRow, _ way: MergeResolution.Way) {
        self.object = object
        self.row = row
        self.way = way
    }

    mutating func run(in context: ManagedObjectContext) {
        defer { object.version = row.version }
        guard object.flags.contains(.hasRow) else { return take(row.slots, keeping: [], context) }
        let stored = SlotStorage(copying: row.slots)
        var merged = row.slots
        var kept: Set<Int> = []
        var lost: Set<WireProperty> = []
        let plan = object.home.plan
        for unit in plan.units {
            let isChanged = isChangedHere(unit, context)
            for slot in unit.slots where object.isMoved(in: slot) {
                settleMove(unit, slot, over: stored, context)
            }
            guard isKept(unit, isChanged, context) else {
                if isChanged, let group = unit.group { lost.insert(group) }
                continue
            }
            context.recordOverlaidEdits(of: object, unit, over: stored)
            for slot in unit.slots {
                merged[slot] = value(of: slot)
                kept.insert(slot)
                if way == .overwrite, plan.isOverwritable(slot) { rewritten.insert(slot) }
            }
        }
        for group in lost { context.carriedGroups[object]?[group] = nil }
        for slot in plan.isRead.indices where !plan.isRead[slot] {
            merged[slot] = way == .rollback ? object.committedValue(slot) : object.slots[slot]
        }
        take(merged, keeping: kept, context)
    }

    /// A move is written in any case if it is not taken back: the objects do not show if it was
    /// moved in the store too.
    private func settleMove(
        _ unit: EntityPlan.Unit, _ slot: Int, over stored: borrowing SlotStorage,
        _ context: ManagedObjectContext
    ) {
        guard way == .rollback, let inverse = object.entity.slots[slot].relationship?.inverse else {
            return context.recordOverlaidEdits(of: object, unit, over: stored)
        }
        context.change(inverse, at: object.slots[slot]) { $0.forgetPlace(of: object.localID) }
    }

    private func isChangedHere(_ unit: EntityPlan.Unit, _ context: ManagedObjectContext) -> Bool {
        if unit.slots.contains(where: object.isChangedSinceCommit) { return true }
        guard let group = unit.group else { return false }
        return context.carriedGroups[object]?[group] != nil
    }

    private func isKept(
        _ unit: EntityPlan.Unit, _ isChanged: Bool, _ context: ManagedObjectContext
    ) -> Bool {
        switch way {
        case .overwrite: true
        case .mergeByPropertyObjectTrump: isChanged
        case .mergeByPropertyStoreTrump:
            isChanged
                && (unit.isCounter || !unit.slots.contains { isChangedThere($0, context) })
        case .rollback, .unresolved: false
        }
    }

    private func isChangedThere(_ slot: Int, _ context: ManagedObjectContext) -> Bool {
        let seen = context.overlaidEdits[object, slot]?.value ?? object.committedValue(slot)
        return seen != row.slots[slot]
    }

    /// What of a kept value can stay under its property's rule.
    private func value(of slot: Int) -> PropertyValue {
        let edited = object.slots[slot]
        let stored = row.slots[slot]
        let property = object.entity.slots[slot].wireProperty
        guard property.rule == .counter else {
            return property.rule.admits(edited, over: stored) ? edited : stored
        }
        guard object.isChangedSinceCommit(slot),
            let delta = Counter.delta(
                from: object.committed[slot], to: edited, of: property.type)
        else { return stored }
        return Counter.sum(stored, delta, of: property.type)
    }

    /// - Parameter kept: The slots that may differ from the row.
    private func take(
        _ merged: [PropertyValue], keeping kept: Set<Int>, _ context: ManagedObjectContext
    ) {
        if object.flags.contains(.hasRow) { follow(merged, context) }
        var committed = SlotStorage()
        if !kept.isEmpty || !object.committed.isEmpty {
            committed = SlotStorage(copying: row.slots)
            for slot in merged.indices where !object.home.plan.isRead[slot] {
                committed[slot] = object.committedValue(slot)
            }
        }
        let slots = SlotStorage(copying: merged)
        let before = context.event.earlierValues[object].map { _ in Array(object.slots.buffer) }
        object.reportChanges(to: slots)
        object.committed = committed
        object.slots = slots
        if let before { context.rebaseEarlierValues(of: object, before) }
        for slot in kept { object.recordWrite(slot) }
        object.flags.formUnion(.hasRow)
        object.flags.subtract(.refault)
        if way == .rollback { context.forgetEdits(of: object) }
        if !context.deletedIDs.isEmpty {
            context.clearReferences(of: object, to: context.deletedIDs)
        }
    }

    /// The other ends of references that lead elsewhere now.
    private func follow(_ merged: [PropertyValue], _ context: ManagedObjectContext) {
        for relationship in object.home.plan.references {
            let slot = relationship.slot
            guard merged[slot] != object.slots[slot] || merged[slot] != object.committedValue(slot)
            else { continue }
            if merged[slot] != object.slots[slot] {
                context.takeBackReference(of: object, relationship)
            }
            for value in [merged[slot], object.slots[slot], object.committedValue(slot)] {
                context.askAnew(for: relationship.inverse, at: value)
            }
        }
    }
}

extension MergeRule {
    /// Whether a save can write a value over the one that is held.
    func admits(_ value: PropertyValue, over held: PropertyValue) -> Bool {
        switch self {
        case .firstWriter: held.isNull
        case .max, .min: Extremum.comparison(of: value, against: held, by: self) != .behind
        default: true
        }
    }
}
