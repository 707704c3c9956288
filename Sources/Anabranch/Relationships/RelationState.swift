import AnabranchStore

/// Who is at the other end of a relationship that has no slot value.
struct RelationState {
    /// `nil` until someone has asked.
    var members: Set<LocalID>?
    /// Since the last save.
    var added: Set<LocalID> = []
    /// Since the last save.
    var removed: Set<LocalID> = []
    /// Of a list, what stands in which order; else `nil`.
    private(set) var list: ListState?
    /// Whether the object's home has it among those that have such a state.
    var isListed = false

    init(isOrdered: Bool) { list = isOrdered ? ListState() : nil }

    var hasChanges: Bool {
        !added.isEmpty || !removed.isEmpty || !(list?.placed.isEmpty ?? true)
    }

    /// The members, of a list in their order, else ascending; empty until someone has asked.
    var listed: [LocalID] {
        guard let members else { return [] }
        return list?.order ?? members.sorted()
    }

    /// Adds a member, at the end of a list.
    mutating func add(_ id: LocalID) {
        members?.insert(id)
        if removed.remove(id) == nil { added.insert(id) }
        list?.append(id)
    }

    mutating func remove(_ id: LocalID) {
        members?.remove(id)
        if added.remove(id) == nil { removed.insert(id) }
        list?.remove([id])
    }

    /// Takes what the store has; what was added, removed and moved here stays so.
    ///
    /// - Parameter stored: Of a list in the store's order.
    mutating func load(_ stored: [LocalID]) {
        let loaded = Set(stored).subtracting(removed).union(added)
        members = loaded
        list?.load(stored.filter(loaded.contains), members: loaded)
    }

    /// Puts a member of a list elsewhere.
    mutating func move(_ id: LocalID, to index: Int) { list?.move(id, to: index) }

    /// Puts a member of a list behind another one, or first.
    mutating func move(_ id: LocalID, behind ahead: LocalID?) { list?.move(id, behind: ahead) }

    /// Gives the members of a list another order.
    ///
    /// - Returns: Those that have moved: as few as can be.
    mutating func arrange(_ order: [LocalID]) -> [LocalID] { list?.arrange(order) ?? [] }

    /// Forgets that members have moved in a list; those that were added keep their places.
    mutating func forgetMoves() { list?.placed.formIntersection(added) }

    /// A new object has nothing in the store that could be asked for.
    mutating func loadNothing() { load([]) }

    /// The records are gone: there is nothing to save about them.
    ///
    /// - Returns: Whether one of them was here.
    mutating func forget(_ gone: Set<LocalID>) -> Bool {
        let count = (members?.count ?? 0) + added.count + removed.count
        guard count > 0 else { return false }
        members?.subtract(gone)
        added.subtract(gone)
        removed.subtract(gone)
        list?.remove(gone)
        return count != (members?.count ?? 0) + added.count + removed.count
    }

    mutating func rename(_ names: [LocalID: LocalID]) {
        members = members.map { Set($0.map { names[$0] ?? $0 }) }
        added = Set(added.map { names[$0] ?? $0 })
        removed = Set(removed.map { names[$0] ?? $0 })
        list?.rename(names)
    }

    mutating func commit() {
        added = []
        removed = []
        list?.placed = []
    }
}

/// The states of an object's relationships that have no slot value, in the order of its plan;
/// made when the first one is needed.
final class RelationTable {
    var states: [RelationState]

    init(_ plan: EntityPlan) {
        states = plan.relations.map { RelationState(isOrdered: $0.isOrdered) }
    }

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
            table = RelationTable(home.plan)
            relations = table
            if flags.contains(.inserted) {
                for index in table.states.indices {
                    table.states[index].loadNothing()
                    list(index, of: table)
                }
            }
        }
        if !table.states[index].isListed { list(index, of: table) }
        return try body(&table.states[index])
    }

    private final func list(_ index: Int, of table: RelationTable) {
        table.states[index].isListed = true
        home.noteRelation(index, of: localID)
    }
}
