/// The reference model of a context stack: a store, the main context with an undo stack, a child of
/// the main context, and another context on the store. Each of the two contexts on the store merges
/// the other's saves at once.
///
/// The child holds what it has read, which is all objects at the last time when both agreed. It
/// shows these, with its own changes, and saves them, whatever happens to the main context. It
/// reads the main context when it refreshes all objects or merges a save of the main context. If it
/// merges a part while other changes are unread, its state is undefined until it refreshes all
/// objects.
struct ReferenceStack {
    let mergesAutomatically: Bool
    let childMerges: Bool
    var contexts: [Place: ReferenceContext] = [:]
    private(set) var store = GraphSnapshot()
    private(set) var undoable: [ReferenceEvent] = []
    private(set) var redoable: [ReferenceEvent] = []
    /// Whether the main context was edited since its last event ended.
    private(set) var isEventOpen = false
    private var eventStart: ReferenceMoment
    private var remains: [Int: GraphSnapshot] = [:]
    private var dead: Set<Int> = []
    /// The life in which each object was saved last.
    private var savedLives: [Int: Int] = [:]
    private var saves = 0
    /// Whether the child has read some changes of the main context and not all.
    private(set) var isChildMixed = false

    init(_ settings: StackSettings) {
        mergesAutomatically = settings.mergesAutomatically
        childMerges = settings.childMerges
        for place in Place.allCases { contexts[place] = ReferenceContext() }
        eventStart = ReferenceMoment(ReferenceContext())
    }

    subscript(place: Place) -> ReferenceContext {
        get { contexts[place] ?? ReferenceContext() }
        set { contexts[place] = newValue }
    }

    /// Whether the child has read everything that the main context shows.
    var isChildFresh: Bool { !isChildMixed && self[.child].base == self[.main].view }

    func allows(_ step: StackStep) -> Bool {
        switch step {
        case .insert(let place, let key, _):
            return isUsable(place) && savedLives[key] == nil && remains[key] == nil
                && Place.allCases.allSatisfy { self[$0].whole.things[key] == nil }
        case .set(let place, let cell, _): return has(place, cell.key)
        case .point(let place, let cell, let target):
            guard has(place, cell.key), target.map({ has(place, $0) }) ?? true else { return false }
            return self[place].view.things[cell.key]?.targets[cell.name] != target
        case .take(let place, let owner, let cell, let isIn):
            guard has(place, cell.key), has(place, owner) else { return false }
            return (self[place].view.things[cell.key]?.targets[cell.name] == owner) != isIn
        case .link(let place, let link, _, let isIn):
            return has(place, link.left) && has(place, link.right)
                && self[place].view.links.contains(link) != isIn
        case .delete(let place, let key): return has(place, key)
        case .endEvent, .undo, .redo: return true
        case .save(.other): return true
        case .save(let place): return isUsable(place)
        case .rollback(let place): return isUsable(place)
        case .refresh(let place, let key, let merging):
            return (place != .child || isChildFresh)
                && (has(place, key) || !merging && self[place].deleted.contains(key))
        case .refreshAll: return true
        }
    }

    private func isUsable(_ place: Place) -> Bool { place != .child || !isChildMixed }

    private func has(_ place: Place, _ key: Int) -> Bool {
        isUsable(place) && self[place].view.things[key] != nil
    }

    mutating func apply(_ step: StackStep) {
        switch step {
        case .insert(.main, _, _), .set(.main, _, _), .point(.main, _, _), .take(.main, _, _, _),
            .link(.main, _, _, _):
            isEventOpen = true
        default: break
        }
        switch step {
        case .insert(let place, let key, let isTag):
            self[place].insert(key, SnapshotObject(isTag: isTag))
        case .set(let place, let cell, let value): self[place].set(cell, to: value)
        case .point(let place, let cell, let target): self[place].point(cell, to: target)
        case .take(let place, let owner, let cell, let isIn):
            self[place].point(cell, to: isIn ? owner : nil)
        case .link(let place, let link, _, let isIn):
            if isIn { self[place].add(link) } else { self[place].remove(link) }
        case .delete(let place, let key):
            if place == .main { endEvent() }
            keepRemains(of: self[place].view, place)
            self[place].delete([key])
            if place == .main { endEvent() }
        case .endEvent: endEvent()
        case .undo: undo()
        case .redo: redo()
        case .save(.main): saveMain()
        case .save(.child): saveChild()
        case .save(.other): saveOther()
        case .rollback(let place): rollBack(place)
        case .refresh(let place, let key, let merging): refresh(place, key, merging)
        case .refreshAll(let place): if place == .child { refreshChild() }
        }
    }
}

// MARK: - Undo
extension ReferenceStack {
    var canUndo: Bool { !undoable.isEmpty }
    var canRedo: Bool { !redoable.isEmpty }

    private mutating func endEvent() {
        isEventOpen = false
        let event = ReferenceEvent(from: eventStart, to: ReferenceMoment(self[.main]), saves: saves)
        eventStart = ReferenceMoment(self[.main])
        guard let event else { return }
        undoable.append(event)
        redoable = []
    }

    private mutating func undo() {
        endEvent()
        guard let event = undoable.popLast(), let inverse = takeBack(event) else { return }
        redoable.append(inverse)
    }

    private mutating func redo() {
        endEvent()
        guard let event = redoable.popLast(), let inverse = takeBack(event) else { return }
        undoable.append(inverse)
    }

    private mutating func takeBack(_ event: ReferenceEvent) -> ReferenceEvent? {
        keepRemains(of: self[.main].view, .main)
        var undo = ReferenceUndo(
            context: self[.main], event: event, remains: remains, dead: dead,
            savedLives: savedLives,
            saves: saves)
        undo.run()
        self[.main] = undo.context
        defer { eventStart = ReferenceMoment(self[.main]) }
        return ReferenceEvent(from: eventStart, to: ReferenceMoment(self[.main]), saves: saves)
    }

    /// Keeps the objects of a snapshot, in case they are recreated.
    private mutating func keepRemains(of snapshot: GraphSnapshot, _ place: Place) {
        guard place == .main else { return }
        for key in snapshot.things.keys { remains[key] = snapshot }
    }

    private mutating func forgetUndo() {
        undoable = []
        redoable = []
        isEventOpen = false
        eventStart = ReferenceMoment(self[.main])
    }
}

// MARK: - Saving and reading
extension ReferenceStack {
    private mutating func saveMain() {
        endEvent()
        guard self[.main].hasChanges else { return }
        let whole = self[.main].whole
        for key in self[.main].deleted { remains[key] = whole.relating(key, as: remains[key]) }
        let shown = self[.main].view
        let changed = self[.main].changedKeys
        store = shown
        recordSaved(shown)
        self[.main].settle(as: shown)
        saves += 1
        eventStart = ReferenceMoment(self[.main])
        self[.other].rebase(to: shown)
        if self[.child].base != shown { mergeIntoChild(changed) }
    }

    private mutating func saveOther() {
        endEvent()
        guard self[.other].hasChanges else { return }
        let wasFresh = isChildFresh
        let shown = self[.other].view
        // Notifications also have objects without a written value.
        let touched = mergesAutomatically ? [] : self[.other].updated
        let changed = self[.other].changedKeys.union(touched)
        store = shown
        self[.other].settle(as: shown)
        recordSaved(shown)
        dead.formUnion(self[.main].base.things.keys.filter { shown.things[$0] == nil })
        self[.main].rebase(to: shown)
        eventStart = ReferenceMoment(self[.main])
        if wasFresh, childMerges { followMain() } else { mergeIntoChild(changed) }
    }

    private mutating func recordSaved(_ snapshot: GraphSnapshot) {
        savedLives.merge(snapshot.things.mapValues(\.life)) { _, newer in newer }
    }

    /// Lets the child read some objects again, and no other.
    private mutating func mergeIntoChild(_ keys: Set<Int>) {
        guard childMerges else { return }
        var snapshot = self[.child].base
        let shown = self[.main].view
        for key in keys where shown.things[key] != nil || store.things[key] == nil {
            snapshot.things[key] = shown.things[key]
        }
        snapshot = snapshot.tidy
        for key in keys {
            guard let thing = shown.things[key] else { continue }
            // It may point to an object that the child has not read yet.
            snapshot.things[key]?.targets = thing.targets
        }
        self[.child].rebase(to: snapshot)
        isChildMixed = true
    }

    /// Lets the child merge everything that it has not read of the main context.
    private mutating func followMain() { self[.child].rebase(to: self[.main].view) }

    /// Applies the child's changes to the main context as one event.
    private mutating func saveChild() {
        endEvent()
        guard self[.child].hasChanges, !isRefused(.save(.child)) else { return }
        let child = self[.child]
        let shown = child.view
        let wasFresh = isChildFresh
        keepRemains(of: self[.main].view, .main)
        for (key, thing) in child.made { self[.main].insert(key, thing) }
        for (cell, value) in child.values where shown.things[cell.key] != nil {
            self[.main].set(cell, to: value)
        }
        for cell in child.targets.keys where shown.things[cell.key] != nil {
            guard child.made[cell.key] != nil || child.differs(cell) else { continue }
            let target = shown.things[cell.key]?.targets[cell.name]
            self[.main].point(cell, to: target.flatMap { isLive($0) ? $0 : nil })
        }
        for link in child.added where shown.links.contains(link) {
            guard !self[.main].view.links.contains(link) else { continue }
            if isLive(link.left), isLive(link.right) { self[.main].add(link) }
        }
        for link in child.removed where self[.main].view.links.contains(link) {
            if !child.deleted.contains(link.left), !child.deleted.contains(link.right) {
                self[.main].remove(link)
            }
        }
        // Objects that are deleted by the cascade are restored as they were before the save.
        self[.main].delete(child.deleted)
        endEvent()
        // The child has not read what the main context has deleted in addition.
        let main = self[.main].view
        let isMore = shown.things.keys.contains { main.things[$0] == nil }
        self[.child].settle(as: !wasFresh || isMore ? shown : main)
    }

    /// Returns whether an object of the child exists in the main context.
    private func isLive(_ key: Int) -> Bool {
        let life = self[.child].whole.things[key]?.life
        return life != nil && self[.main].view.things[key]?.life == life
    }

    /// Returns whether a step is refused because the main context has deleted an object that the
    /// child would save.
    func isRefused(_ step: StackStep) -> Bool {
        guard case .save(.child) = step else { return false }
        let child = self[.child]
        let main = self[.main].view
        let writes = child.writtenKeys.union(child.deleted)
        return writes.contains { main.things[$0]?.life != child.base.things[$0]?.life }
    }

    private mutating func rollBack(_ place: Place) {
        if place == .child, !isChildFresh, !self[.child].deleted.isEmpty { isChildMixed = true }
        self[place].rollBack()
        if place == .main { forgetUndo() }
    }

    private mutating func refresh(_ place: Place, _ key: Int, _ isMerging: Bool) {
        if place == .main { endEvent() }
        if !isMerging { self[place].discard(key) }
        if place == .main { eventStart = ReferenceMoment(self[.main]) }
    }

    private mutating func refreshChild() {
        self[.child].rebase(to: self[.main].view, isRefresh: true)
        isChildMixed = false
    }
}
