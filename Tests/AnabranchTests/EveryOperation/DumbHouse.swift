/// A store, the main context on it with an undo stack, a child of that, and another context on the
/// store. Whatever one of the two saves the other merges at once.
///
/// The child knows of the main context what it has read, which is all that was there when they
/// agreed last. Whatever becomes of the main context, the child goes on showing that, with its own
/// edits, and saves those, until it refreshes all or merges what the main context saves. Only where
/// it merges some while there is more that it does not know, the one contradicts the other: what it
/// shows then is not defined until it refreshes all.
struct DumbHouse {
    let mergesAutomatically: Bool
    let childMerges: Bool
    var contexts: [Place: DumbContext] = [:]
    private(set) var store = DumbPicture()
    private(set) var undoable: [DumbEvent] = []
    private(set) var redoable: [DumbEvent] = []
    /// Whether the main context was edited since its last event ended.
    private(set) var isEventOpen = false
    private var eventStart: DumbMoment
    private var remains: [Int: DumbPicture] = [:]
    private var dead: Set<Int> = []
    /// In which life things were saved last.
    private var savedLives: [Int: Int] = [:]
    private var saves = 0
    /// Whether the child has read some of what the main context has changed, and not all.
    private(set) var isChildMixed = false

    init(_ settings: HouseSettings) {
        mergesAutomatically = settings.mergesAutomatically
        childMerges = settings.childMerges
        for place in Place.allCases { contexts[place] = DumbContext() }
        eventStart = DumbMoment(DumbContext())
    }

    subscript(place: Place) -> DumbContext {
        get { contexts[place] ?? DumbContext() }
        set { contexts[place] = newValue }
    }

    /// Whether the child knows all that the main context shows.
    var isChildFresh: Bool { !isChildMixed && self[.child].base == self[.main].view }

    func allows(_ step: HouseStep) -> Bool {
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

    mutating func apply(_ step: HouseStep) {
        switch step {
        case .insert(.main, _, _), .set(.main, _, _), .point(.main, _, _), .take(.main, _, _, _),
            .link(.main, _, _, _):
            isEventOpen = true
        default: break
        }
        switch step {
        case .insert(let place, let key, let isTag):
            self[place].insert(key, DumbThing(isTag: isTag))
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

// Undoing.
extension DumbHouse {
    var canUndo: Bool { !undoable.isEmpty }
    var canRedo: Bool { !redoable.isEmpty }

    private mutating func endEvent() {
        isEventOpen = false
        let event = DumbEvent(from: eventStart, to: DumbMoment(self[.main]), saves: saves)
        eventStart = DumbMoment(self[.main])
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

    private mutating func takeBack(_ event: DumbEvent) -> DumbEvent? {
        keepRemains(of: self[.main].view, .main)
        var undo = DumbUndo(
            context: self[.main], event: event, remains: remains, dead: dead,
            savedLives: savedLives,
            saves: saves)
        undo.run()
        self[.main] = undo.context
        defer { eventStart = DumbMoment(self[.main]) }
        return DumbEvent(from: eventStart, to: DumbMoment(self[.main]), saves: saves)
    }

    /// Things that are there, as they are, for when they are made anew.
    private mutating func keepRemains(of picture: DumbPicture, _ place: Place) {
        guard place == .main else { return }
        for key in picture.things.keys { remains[key] = picture }
    }

    private mutating func forgetUndo() {
        undoable = []
        redoable = []
        isEventOpen = false
        eventStart = DumbMoment(self[.main])
    }
}

// Saving and reading.
extension DumbHouse {
    private mutating func saveMain() {
        endEvent()
        guard self[.main].hasChanges else { return }
        let whole = self[.main].whole
        for key in self[.main].deleted { remains[key] = whole.relating(key, as: remains[key]) }
        let shown = self[.main].view
        let changed = self[.main].changedKeys
        store = shown
        noteSaved(shown)
        self[.main].settle(as: shown)
        saves += 1
        eventStart = DumbMoment(self[.main])
        self[.other].rebase(to: shown)
        if self[.child].base != shown { mergeIntoChild(changed) }
    }

    private mutating func saveOther() {
        endEvent()
        guard self[.other].hasChanges else { return }
        let wasFresh = isChildFresh
        let shown = self[.other].view
        // Notifications tell of those, too, of whom nothing was written.
        let touched = mergesAutomatically ? [] : self[.other].updated
        let changed = self[.other].changedKeys.union(touched)
        store = shown
        self[.other].settle(as: shown)
        noteSaved(shown)
        dead.formUnion(self[.main].base.things.keys.filter { shown.things[$0] == nil })
        self[.main].rebase(to: shown)
        eventStart = DumbMoment(self[.main])
        if wasFresh, childMerges { followMain() } else { mergeIntoChild(changed) }
    }

    private mutating func noteSaved(_ picture: DumbPicture) {
        savedLives.merge(picture.things.mapValues(\.life)) { _, newer in newer }
    }

    /// The child reads some things again, and nothing else.
    private mutating func mergeIntoChild(_ keys: Set<Int>) {
        guard childMerges else { return }
        var picture = self[.child].base
        let shown = self[.main].view
        for key in keys where shown.things[key] != nil || store.things[key] == nil {
            picture.things[key] = shown.things[key]
        }
        picture = picture.tidy
        for key in keys {
            guard let thing = shown.things[key] else { continue }
            // It may lead to somebody whom the child has not read yet.
            picture.things[key]?.targets = thing.targets
        }
        self[.child].rebase(to: picture)
        isChildMixed = true
    }

    /// The child merges what the main context has merged, which is all that it does not know.
    private mutating func followMain() { self[.child].rebase(to: self[.main].view) }

    /// What the child has changed the main context changes now, as an event of its own.
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
        // What is lost with it is brought back as it was before the save.
        self[.main].delete(child.deleted)
        endEvent()
        // What the main context has lost more than that the child does not know yet.
        let main = self[.main].view
        let isMore = shown.things.keys.contains { main.things[$0] == nil }
        self[.child].settle(as: !wasFresh || isMore ? shown : main)
    }

    /// Whether a thing of the child is there in the main context.
    private func isLive(_ key: Int) -> Bool {
        let life = self[.child].whole.things[key]?.life
        return life != nil && self[.main].view.things[key]?.life == life
    }

    /// Whether a step is refused, because what the child would save is deleted in the main context.
    func isRefused(_ step: HouseStep) -> Bool {
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
        if place == .main { eventStart = DumbMoment(self[.main]) }
    }

    private mutating func refreshChild() {
        self[.child].rebase(to: self[.main].view, isRefresh: true)
        isChildMixed = false
    }
}
