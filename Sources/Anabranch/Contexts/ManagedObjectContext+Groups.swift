import AnabranchModel
import AnabranchReplication

// A group of attributes is one value everywhere but here, where each member is set by itself. So
// whatever a save or a refresh does to one member it does to all.
extension ManagedObjectContext {
    /// Sets a group to a whole value: its members, and at the save also what the model does not
    /// know of it, in the place of what the store holds.
    ///
    /// - Parameter value: As it travels.
    /// - Throws: ``PropertyError`` where a member refuses its value; nothing has changed then.
    func setGroup(
        _ group: AttributeGroupDescription, of object: ManagedObject, to value: PropertyValue
    ) throws {
        let names = group.members.map(\.attribute.name)
        let before = try names.map { try object.value(forKey: $0) }
        do {
            for (name, value) in zip(names, group.values(in: value)) {
                try object.setValue(value, forKey: name)
            }
        } catch {
            for (name, value) in zip(names, before) { try object.setValue(value, forKey: name) }
            throw error
        }
        let carried: GroupValue = if case .group(let group) = value { group } else { .empty }
        carriedGroups[object, default: [:]][group.wireProperty] = carried
    }

    /// Slots that keep what an object has in them where it gets a newer row: of every group with an
    /// unsaved edit all members, because the edit was made to what the others were.
    func slotsKept(byGroupsOf object: ManagedObject) -> [Int] {
        let groups = object.home.plan.groups
        guard !groups.isEmpty, !object.committed.isEmpty else { return [] }
        let carried = carriedGroups[object] ?? [:]
        return groups.filter { group in
            carried[group.property] != nil
                || group.slots.contains(where: object.isChangedSinceCommit)
        }.flatMap(\.slots)
    }

    /// Forgets what belongs to the edits of an object that is not changed any more: what its groups
    /// were set to, and what its edits were laid over.
    func forgetEdits(of object: ManagedObject) {
        if !carriedGroups.isEmpty { carriedGroups[object] = nil }
        overlaidEdits.forget(object)
    }
}
