import AnabranchModel
import AnabranchReplication

extension EntityPlan {
    /// Stored slots that are one value: those of a group, or one alone.
    struct Unit: Sendable {
        let slots: [Int]
        var group: WireProperty?
        var isCounter = false
    }

    /// Of an entity, those of groups last.
    static func units(
        of entity: EntityDescription, storedSlots: [Int],
        groups: [(property: WireProperty, slots: [Int])]
    ) -> [Unit] {
        let grouped = Set(groups.flatMap(\.slots))
        let single = storedSlots.filter { !grouped.contains($0) }.map { slot in
            Unit(slots: [slot], isCounter: entity.slots[slot].wireProperty.rule == .counter)
        }
        return single + groups.map { Unit(slots: $0.slots, group: $0.property) }
    }

    /// Whether a save can write what a slot of its own holds once more: not what only adds or has
    /// to win, nor a place in a list, which would be another one.
    func isOverwritable(_ slot: Int) -> Bool {
        guard isStored[slot] else { return false }
        switch entity.slots[slot] {
        case .attribute(let attribute):
            return attribute.group != nil || attribute.wireProperty.rule == .lastWriter
        case .relationship(let relationship):
            return relationship.inverse?.isOrdered != true
        }
    }
}
