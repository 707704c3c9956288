import AnabranchModel
import AnabranchStore

extension ManagedObject {
    /// Returns the links that were added and removed since the last save, either those of stored
    /// relationships or those of transient ones.
    ///
    /// Both ends know a link; it belongs to the left one.
    final func linkChanges(isTransient: Bool) -> [SaveRequest.LinkChange] {
        guard let table = relations else { return [] }
        var changes: [SaveRequest.LinkChange] = []
        for (index, relationship) in home.plan.relations.enumerated()
        where relationship.isTransient == isTransient && table.changes(at: index) {
            guard let side = relationship.storage.side, side != .right else { continue }
            let state = table.states[index]
            for (others, isAdded) in [(state.added, true), (state.removed, false)] {
                for other in others.sorted() where side != .both || localID <= other {
                    changes.append(
                        .init(
                            relationship: relationship, owner: localID, other: other,
                            isAdded: isAdded, seen: isAdded ? nil : state.seen?[other]))
                }
            }
        }
        return changes
    }

    /// The states of the store in which the object's links were seen, by the slots of their
    /// relationships.
    final var seenLinks: [Int: SeenLinks] {
        guard let table = relations else { return [:] }
        var all: [Int: SeenLinks] = [:]
        for index in home.plan.linkRelations {
            guard let seen = table.states[index].seen, !seen.isEmpty else { continue }
            all[home.plan.relations[index].slot] = seen
        }
        return all
    }

    /// Returns the lists in which members were added or moved since the last save, either those of
    /// stored relationships or those of transient ones.
    final func listChanges(isTransient: Bool) -> [SaveRequest.ListChange] {
        guard let table = relations else { return [] }
        var changes: [SaveRequest.ListChange] = []
        for (index, relationship) in home.plan.relations.enumerated()
        where relationship.isTransient == isTransient {
            guard let list = table.states[index].list else { continue }
            let placed = placedMembers(of: list, relationship)
            guard !placed.isEmpty else { continue }
            let end = placed.count == list.placed.count ? list.placedEnd : nil
            changes.append(
                .init(
                    relationship: relationship, owner: localID, order: end ?? list.order,
                    placed: placed, isEnd: end != nil))
        }
        return changes
    }

    /// The members that were added or moved in a list. In a one-to-many another save, which the
    /// context has merged, may have removed some of them.
    private final func placedMembers(
        of list: ListState, _ relationship: RelationshipDescription
    ) -> Set<LocalID> {
        guard !list.placed.isEmpty, relationship.storage == .inverseReference,
            let context = managedObjectContext
        else { return list.placed }
        return list.placed.filter { context.refers($0, to: self, by: relationship) }
    }
}
