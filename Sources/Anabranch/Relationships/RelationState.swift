import AnabranchStore

/// Who is at the other end of a relationship that has no slot value.
struct RelationState {
    /// `nil` until someone has asked.
    var members: Set<LocalID>?
    /// Since the last save.
    var added: Set<LocalID> = []
    /// Since the last save.
    var removed: Set<LocalID> = []

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty }

    mutating func add(_ id: LocalID) {
        members?.insert(id)
        if removed.remove(id) == nil { added.insert(id) }
    }

    mutating func remove(_ id: LocalID) {
        members?.remove(id)
        if added.remove(id) == nil { removed.insert(id) }
    }

    /// Takes what the store has; what was added and removed here stays so.
    mutating func load(_ stored: Set<LocalID>) {
        members = stored.subtracting(removed).union(added)
    }

    /// The records are gone: there is nothing to save about them.
    ///
    /// - Returns: Whether one of them was here.
    mutating func forget(_ gone: Set<LocalID>) -> Bool {
        let count = (members?.count ?? 0) + added.count + removed.count
        guard count > 0 else { return false }
        members?.subtract(gone)
        added.subtract(gone)
        removed.subtract(gone)
        return count != (members?.count ?? 0) + added.count + removed.count
    }

    mutating func rename(_ names: [LocalID: LocalID]) {
        members = members.map { Set($0.map { names[$0] ?? $0 }) }
        added = Set(added.map { names[$0] ?? $0 })
        removed = Set(removed.map { names[$0] ?? $0 })
    }

    mutating func commit() {
        added = []
        removed = []
    }
}

/// The states of an object's relationships that have no slot value, in the order of its plan;
/// made when the first one is needed.
final class RelationTable {
    var states: [RelationState]

    init(count: Int) { states = Array(repeating: RelationState(), count: count) }

    func changes(at index: Int) -> Bool { states[index].hasChanges }
}

extension ManagedObject {
    /// Changes a relationship's state in place.
    final func withRelation<Result>(
        _ index: Int, _ body: (inout RelationState) throws -> Result
    ) rethrows -> Result {
        let table: RelationTable
        if let relations {
            table = relations
        } else {
            table = RelationTable(count: home.plan.relations.count)
            // A new object has nothing in the store that could be asked for.
            if flags.contains(.inserted) {
                for index in table.states.indices { table.states[index].members = [] }
            }
            relations = table
        }
        return try body(&table.states[index])
    }
}
