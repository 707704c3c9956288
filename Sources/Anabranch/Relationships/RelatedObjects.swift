import AnabranchModel
import AnabranchStore

/// The objects of one entity that have a ``RelationState`` of one relationship, so that what is
/// to happen to such states is done to them and to no others.
///
/// Each that has one is here; some of those here have lost it since, with their values or with
/// their last holder. These are sorted out whenever the list has grown to twice its size.
struct RelatedObjects {
    private(set) var ids: [LocalID] = []
    private var limit = 64

    var isEmpty: Bool { ids.isEmpty }
    /// Whether it is time to sort out those that have lost their states.
    var isFull: Bool { ids.count >= limit }

    mutating func append(_ id: LocalID) { ids.append(id) }

    mutating func removeAll(where hasLost: (LocalID) -> Bool) {
        ids = Set(ids).filter { !hasLost($0) }
        limit = max(64, ids.count * 2)
    }

    /// Hands over all; those that are to stay are appended again.
    mutating func take() -> [LocalID] {
        defer { self = RelatedObjects() }
        return ids
    }
}

extension EntityHome {
    /// - Returns: `nil` where the entity does not have the relationship, or its rows store it.
    fileprivate func relationIndex(of relationship: RelationshipDescription) -> Int? {
        entity.isKind(of: relationship.entity) ? plan.relationIndex(of: relationship) : nil
    }

    /// Notes that an object has a state of a relationship from now on.
    func addRelation(_ index: Int, of id: LocalID) {
        if related[index].isFull {
            withContext { context in
                related[index].removeAll { !context.hasState($0, at: index, in: self) }
            }
        }
        related[index].append(id)
    }
}

extension ManagedObjectContext {
    /// Whether a registered object that somebody holds is listed with a state.
    fileprivate func hasState(_ id: LocalID, at index: Int, in home: EntityHome) -> Bool {
        guard let object = held(id), object.home === home else { return false }
        return object.relations?.states[index].isListed ?? false
    }

    /// The objects that have a state of a relationship, and its place in their plan.
    func objectsRelated(
        by relationship: RelationshipDescription
    ) -> [(object: ManagedObject, index: Int)] {
        homesInUse.flatMap { home -> [(object: ManagedObject, index: Int)] in
            guard let index = home.relationIndex(of: relationship) else { return [] }
            return home.related[index].ids.compactMap { id in
                guard let object = held(id), object.relations != nil else { return nil }
                return (object, index)
            }
        }
    }

    /// Forgets who is at the other end of relationships, so that it is asked for anew when it is
    /// next needed. What was added and removed here stays so.
    ///
    /// Each object that this finds was loaded since the last time, so that it costs no more than
    /// loading it did.
    ///
    /// - Returns: Those that have forgotten something, each once.
    func unload(_ relationships: Set<RelationshipDescription>) -> [ManagedObject] {
        var seen: Set<LocalID> = []
        var unloaded: [ManagedObject] = []
        for home in homesInUse {
            for (index, relationship) in home.plan.relations.enumerated()
            where relationships.contains(relationship) && !home.related[index].isEmpty {
                for id in home.related[index].take() {
                    guard let object = held(id), object.home === home else { continue }
                    if unload(object, index), seen.insert(id).inserted { unloaded.append(object) }
                }
            }
        }
        return unloaded
    }

    private func unload(_ object: ManagedObject, _ index: Int) -> Bool {
        guard let table = object.relations, table.states[index].isListed else { return false }
        let isNew = object.flags.contains(.inserted)
        let isKept = keepsMembers(object, object.home.plan.relations[index])
        let isLoaded = table.states[index].members != nil && !isNew && !isKept
        if isLoaded { table.states[index].unload() }
        if isNew || isKept || table.states[index].hasChanges {
            object.home.addRelation(index, of: object.localID)
        } else {
            table.states[index].isListed = false
        }
        // Whoever is told may load it at once, which lists it anew.
        if isLoaded { object.reportChange(object.home.plan.relations[index].slot) }
        return isLoaded
    }
}

extension ManagedObject {
    /// Lists the object by the ID that it has now, with all its relation states.
    final func listRelations() {
        guard let states = relations?.states else { return }
        for index in states.indices where states[index].isListed {
            home.addRelation(index, of: localID)
        }
    }
}
