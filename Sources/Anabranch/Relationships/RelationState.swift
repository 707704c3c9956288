import AnabranchModel
import AnabranchStore

/// The members of a relationship that has no slot value.
struct RelationState {
    /// `nil` until the store was asked.
    private(set) var members: Set<LocalID>?
    /// True if no store has the members, so that they are never asked for.
    let isTransient: Bool
    /// Since the last save.
    var added: Set<LocalID> = []
    /// Since the last save.
    var removed: Set<LocalID> = []
    /// What the context has seen of links in the store; `nil` if the relationship has none there.
    private(set) var seen: SeenLinks?
    /// Of a list, what stands in which order; else `nil`.
    private(set) var list: ListState?
    /// Whether the object's home has it among those that have such a state.
    var isListed: Bool

    init(_ relationship: RelationshipDescription, isListed: Bool = false) {
        list = relationship.isOrdered ? ListState() : nil
        isTransient = relationship.isTransient
        if case .links = relationship.storage { seen = SeenLinks() }
        self.isListed = isListed
        if isTransient { loadNothing() }
    }

    var hasChanges: Bool {
        !added.isEmpty || !removed.isEmpty || !(list?.placed.isEmpty ?? true)
    }

    /// The members, of a list in their order, else ascending; empty until someone has asked.
    var listed: [LocalID] {
        guard let members else { return [] }
        return list?.order ?? members.sorted()
    }

    /// Adds a member, at the end of a list.
    ///
    /// - Parameter isStored: Whether the store has it, where that is known; else what was added
    ///   and removed here tells.
    mutating func add(_ id: LocalID, isStored: Bool? = nil) {
        members?.insert(id)
        let wasRemoved = removed.remove(id) != nil
        if wasRemoved { seen?.readmit(id) }
        if !(isStored ?? wasRemoved) { added.insert(id) }
        list?.append(id)
        settle()
    }

    /// - Parameters:
    ///   - isStored: As of ``add(_:isStored:)``.
    ///   - version: The state of the store in which the link was seen, if it is another one than
    ///     that of the members.
    mutating func remove(
        _ id: LocalID, isStored: Bool? = nil, seenIn version: RowVersion? = nil
    ) {
        if isTransient, members?.contains(id) == false { return }
        members?.remove(id)
        let wasAdded = added.remove(id) != nil
        if isStored ?? !wasAdded {
            removed.insert(id)
            seen?.see(id, in: version)
        }
        list?.remove([id])
    }

    /// Takes what the store has; what was added, removed and moved here stays so. What somebody
    /// else has added or removed as well is no change any more.
    ///
    /// - Parameters:
    ///   - shown: What is to be seen, of a list in the store's order.
    ///   - stored: All that the store has, if that is more.
    ///   - newer: What has been seen of links by the reading.
    mutating func load(
        _ shown: [LocalID], of stored: [LocalID]? = nil, seeing newer: SeenLinks? = nil
    ) {
        if !added.isEmpty { added.subtract(shown) }
        if !removed.isEmpty { removed.formIntersection(stored ?? shown) }
        if let newer { seen?.read(newer, keeping: removed) }
        var loaded = Set(shown)
        loaded.subtract(removed)
        loaded.formUnion(added)
        members = loaded
        list?.load(shown.filter(loaded.contains), members: loaded)
    }

    /// Forgets the members, so that the store is asked for them when they are next needed.
    ///
    /// - Returns: False for a transient relationship, which keeps its members.
    @discardableResult
    mutating func unload() -> Bool {
        guard !isTransient else { return false }
        members = nil
        seen?.read(SeenLinks(), keeping: removed)
        return true
    }

    /// Registers the state of the store in which the links of a deleted object count as seen if
    /// they were not read.
    mutating func assumeRead(in version: RowVersion) {
        if members == nil { seen?.assumeRead(version) }
    }

    /// Registers that the author of a change has seen links in older states than this context.
    mutating func limitSeenLinks(to older: SeenLinks) { seen?.formOldest(older) }

    /// What else was added or removed here is no change any more.
    mutating func keepChanges(added kept: Set<LocalID>, removed left: Set<LocalID>) {
        added.formIntersection(kept)
        removed.formIntersection(left)
    }

    /// Whether a member that was added or removed may since have been so by somebody else, too.
    func isUncertain(of id: LocalID) -> Bool {
        members == nil && (added.contains(id) || removed.contains(id))
    }

    /// A member is again where the store has it: of a list the place is asked for anew.
    mutating func forgetPlace(of id: LocalID) {
        guard list != nil, !added.contains(id) else { return }
        list?.placed.remove(id)
        unload()
    }

    /// Puts a member of a list elsewhere.
    mutating func move(_ id: LocalID, to index: Int) {
        list?.move(id, to: index)
        settle()
    }

    /// Puts members of a list behind those that they stand behind in another order.
    mutating func place(_ ids: Set<LocalID>, standingAsIn model: [LocalID], isEnd: Bool) {
        list?.place(ids, standingAsIn: model, isEnd: isEnd)
        settle()
    }

    /// Gives the members of a list another order.
    ///
    /// - Returns: Those that have moved: as few as can be.
    mutating func arrange(_ order: [LocalID]) -> [LocalID] {
        defer { settle() }
        return list?.arrange(order) ?? []
    }

    /// Where a list is again as it was, nothing has moved in it.
    private mutating func settle() { if list?.isAsFormerly == true { forgetMoves() } }

    /// Forgets that members have moved in a list; those that were added keep their places.
    mutating func forgetMoves() { list?.placed.formIntersection(added) }

    /// A new object has nothing in the store that could be asked for.
    mutating func loadNothing() { load([]) }

    func mentions(_ ids: Set<LocalID>) -> Bool {
        func holds(_ others: Set<LocalID>) -> Bool {
            !others.isEmpty && !others.isDisjoint(with: ids)
        }
        return holds(members ?? []) || holds(added) || holds(removed)
    }

    /// Brings in a member that the store has; of a list the place is asked for anew.
    mutating func readmit(_ id: LocalID) {
        if list == nil {
            members?.insert(id)
        } else {
            unload()
        }
    }

    /// The records are gone: there is nothing to save about them.
    ///
    /// - Returns: Whether one of them was here.
    mutating func forget(_ gone: Set<LocalID>) -> Bool {
        guard mentions(gone) else { return false }
        members?.remove(gone)
        added.remove(gone)
        removed.remove(gone)
        list?.remove(gone)
        return true
    }

    /// A record is there again that was forgotten.
    ///
    /// - Parameter isAdded: Whether it has come since the last save.
    mutating func regain(_ id: LocalID, isAdded: Bool) {
        members?.insert(id)
        list?.regain(id)
        guard isAdded else { return }
        added.insert(id)
        list?.placed.insert(id)
    }

    /// As ``regain(_:isAdded:)``, of one that was removed since the last save.
    ///
    /// - Returns: Whether it counts as removed again.
    mutating func regainRemoval(of id: LocalID) -> Bool {
        guard !(members?.contains(id) ?? false), !added.contains(id) else { return false }
        return removed.insert(id).inserted
    }

    /// Gives the members of a list back where they stood.
    ///
    /// - Parameters:
    ///   - moved: Those that stand elsewhere now, or were removed and are there again.
    ///   - changed: Those that may get a place at the save otherwise than `placed` says.
    ///   - placed: Those that get a place at the save; `nil`: all that have moved.
    mutating func putBack(
        _ moved: Set<LocalID>, as former: [LocalID], placing changed: Set<LocalID>,
        as placed: Set<LocalID>?
    ) {
        guard list != nil, let members else { return }
        list?.putBack(moved, as: former)
        list?.placed.subtract(placed == nil ? [] : changed)
        list?.placed.formUnion((placed ?? moved).intersection(changed).intersection(members))
        // The store has no place for what was added.
        list?.placed.formUnion(added.intersection(changed))
    }

    /// Two records may be one from now on.
    mutating func rename(_ names: [LocalID: LocalID]) {
        members = members.map { Set($0.map { names[$0] ?? $0 }) }
        added = Set(added.map { names[$0] ?? $0 })
        removed = Set(removed.map { names[$0] ?? $0 })
        removed.subtract(members ?? added)
        seen?.rename(names)
        list?.rename(names)
    }

    /// Forgets what was added, removed and moved here. A stored list that has changed is asked for
    /// anew, since nothing else knows the places that its members had.
    ///
    /// - Returns: False if the members have to be asked for.
    mutating func takeBack() -> Bool {
        guard hasChanges else { return true }
        guard list == nil || isTransient else { return false }
        let former = members?.subtracting(added).union(removed)
        members = former
        list?.takeBack(to: former ?? [])
        for id in removed { seen?.readmit(id) }
        settleChanges()
        return true
    }

    /// Registers that the changes are saved.
    ///
    /// - Parameter version: The version of the added links in the store.
    mutating func commit(in version: RowVersion) {
        seen?.save(added, in: version, isLoaded: members != nil)
        settleChanges()
    }

    /// Forgets what was added, removed and moved, which is no change any more.
    mutating func settleChanges() {
        added = []
        removed = []
        list?.commit()
    }
}

extension Set {
    /// As `subtract(_:)`, which looks for each element of the other set, in a time that does not
    /// grow with the other set beyond this one.
    fileprivate mutating func remove(_ others: Set) {
        if others.count < count { subtract(others) } else { self = filter { !others.contains($0) } }
    }
}

/// The states of an object's relationships that have no slot value, in the order of its plan;
/// made when the first one is needed.
final class RelationTable {
    var states: [RelationState]
    /// The results of fetched properties by their names.
    var fetched: [String: [ManagedObjectID]] = [:]

    init(_ plan: EntityPlan) {
        states = plan.relations.map { RelationState($0) }
    }

    /// True if the object has a member in a transient relationship.
    var hasTransientMembers: Bool { states.contains { $0.isTransient && $0.members != [] } }

    func changes(at index: Int) -> Bool { states[index].hasChanges }
}

extension ManagedObject {
    /// Changes a relationship's state in place; observers are to read it again.
    final func changeRelation<Result>(
        _ index: Int, _ body: (inout RelationState) throws -> Result
    ) rethrows -> Result {
        reportChange(home.plan.relations[index].slot)
        return try withRelation(index, body)
    }

    /// Takes records that are gone out of every relationship.
    ///
    /// - Returns: Whether one had any.
    @discardableResult
    final func forgetRelated(_ gone: Set<LocalID>) -> Bool {
        guard let relations else { return false }
        var isChanged = false
        for index in relations.states.indices where relations.states[index].forget(gone) {
            reportChange(home.plan.relations[index].slot)
            isChanged = true
        }
        return isChanged
    }

    /// As ``changeRelation(_:_:)``, of what is no change to who reads it.
    final func withRelation<Result>(
        _ index: Int, _ body: (inout RelationState) throws -> Result
    ) rethrows -> Result {
        let table = relationTable()
        if !table.states[index].isListed { list(index, of: table) }
        return try body(&table.states[index])
    }

    final func relationTable() -> RelationTable {
        if let relations { return relations }
        let table = RelationTable(home.plan)
        relations = table
        if flags.contains(.inserted) {
            for index in table.states.indices {
                table.states[index].loadNothing()
                list(index, of: table)
            }
        }
        return table
    }

    private final func list(_ index: Int, of table: RelationTable) {
        table.states[index].isListed = true
        home.addRelation(index, of: localID)
    }
}
