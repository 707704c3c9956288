/// The changes of one event in a context.
///
/// An undo reverts each difference by itself, in this order. It restores missing objects, removes
/// added links, and deletes objects again that were deleted before. Then it sets properties to
/// their former values, if their targets exist, adds removed links, and removes objects that did
/// not exist. An object that another context has deleted stays deleted.
///
/// - An object with an unsaved deletion is restored. Any other object is recreated with the values
///   and to-ones that it had when it was deleted. It gets its links and incoming references of that
///   time back, whatever another context did to them before the deletion was saved. If an incoming
///   to-one has another target by now, that target stays.
/// - An object that the event touched counts as updated if it did so before. Otherwise it does not,
///   if nothing was saved since and it equals its saved state.
/// - An undo is an event too, and undoing it is the redo. An undo without a change can't be redone.
struct ReferenceEvent {
    let before: ReferenceMoment
    let after: ReferenceMoment
    /// The number of saves of the context before the event.
    let saves: Int

    /// - Returns: `nil` if the event has changed nothing.
    init?(from before: ReferenceMoment, to after: ReferenceMoment, saves: Int) {
        guard before.view != after.view else { return nil }
        self.before = before
        self.after = after
        self.saves = saves
    }
}

struct ReferenceMoment {
    let view: GraphSnapshot
    let whole: GraphSnapshot
    let deleted: Set<Int>
    let updated: Set<Int>

    init(_ context: ReferenceContext) {
        view = context.view
        whole = context.whole
        deleted = context.deleted
        updated = context.updated
    }
}

/// One undo while it runs.
struct ReferenceUndo {
    var context: ReferenceContext
    let event: ReferenceEvent
    /// The graph at the time when each object was deleted.
    let remains: [Int: GraphSnapshot]
    /// The objects that another context has deleted.
    let dead: Set<Int>
    /// The last saved life of each record. If the store has had it, a recreated record gets another
    /// identity.
    let savedLives: [Int: Int]
    let saves: Int

    private var before: [Int: SnapshotObject] { event.before.view.things }
    private var after: [Int: SnapshotObject] { event.after.view.things }

    mutating func run() {
        let (links, formerLinks) = (event.after.whole.links, event.before.whole.links)
        bringBack()
        for link in links.subtracting(formerLinks) where context.view.links.contains(link) {
            if isExplicit(link) { context.remove(link) }
        }
        deleteAgain()
        for (key, thing) in before { writeBack(key, thing) }
        for link in formerLinks.subtracting(links) where isExplicit(link) {
            let isThere = context.view.links.contains(link)
            if !isThere, isLive(link.left), isLive(link.right) { context.add(link) }
        }
        let absent = after.keys.filter { before[$0] == nil && !event.before.deleted.contains($0) }
        for key in absent.sorted() where context.made[key] != nil { context.withdraw(key) }
        let leaving = Set(absent.filter(isLive))
        settle(except: leaving)
        context.delete(leaving)
    }

    /// Deletes objects again that were deleted before the event. First it restores the former owner
    /// of their parts, so that these are not deleted with them. To-ones that their deletion had
    /// emptied become empty again.
    private mutating func deleteAgain() {
        let gone = event.before.deleted.filter { after[$0] != nil && isLive($0) }
        for (key, thing) in before where isLive(key) {
            for name in ["owner", "boss"] {
                let former = thing.targets[name]
                guard let target = context.view.things[key]?.targets[name], gone.contains(target),
                    after[key]?.targets[name] != former,
                    name == "owner" || event.before.whole.things[key]?.targets[name] == former
                else { continue }
                writeBack(name, of: key, to: former)
            }
        }
        context.delete(gone)
    }

    private func isLive(_ key: Int) -> Bool { context.view.things[key] != nil }

    /// Returns whether the event changed the link itself, and not only the existence of an end. A
    /// deleted end exists.
    private func isExplicit(_ link: SnapshotLink) -> Bool {
        [event.before.whole.things, event.after.whole.things].allSatisfy {
            $0[link.left] != nil && $0[link.right] != nil
        }
    }

    private mutating func bringBack() {
        let missing = before.keys.filter { after[$0] == nil && !dead.contains($0) && !isLive($0) }
        for key in missing where context.deleted.contains(key) { context.undelete(key) }
        let anew = missing.filter { !isLive($0) }
        for key in anew {
            guard var thing = remains[key]?.things[key] else { continue }
            if savedLives[key] == thing.life { thing.life += 1 }
            context.insert(key, thing)
            for (name, value) in thing.values {
                context.set(SnapshotCell(key: key, name: name), to: value)
            }
        }
        for key in anew { relate(key) }
    }

    private mutating func relate(_ key: Int) {
        guard let remains = remains[key], let thing = remains.things[key] else { return }
        // References that only the event has set are removed.
        for name in ["owner", "boss"] where thing.targets[name] == nil {
            guard context.view.things[key]?.targets[name] != nil else { continue }
            context.point(SnapshotCell(key: key, name: name), to: nil)
        }
        for (name, target) in thing.targets where isLive(target) {
            context.point(SnapshotCell(key: key, name: name), to: target)
        }
        for name in ["owner", "boss"] {
            for holder in remains.holders(of: key, by: name) where isLive(holder) {
                guard context.view.things[holder]?.targets[name] == nil else { continue }
                context.point(SnapshotCell(key: holder, name: name), to: key)
            }
        }
        for link in remains.links where link.mentions(key) && !context.view.links.contains(link) {
            if isLive(link.left), isLive(link.right) { context.add(link) }
        }
    }

    private mutating func writeBack(_ key: Int, _ thing: SnapshotObject) {
        guard isLive(key) else { return }
        let later = [after[key], edited(key)].compactMap(\.self)
        for name in ["a", "b"]
        where later.contains(where: { $0.values[name] != thing.values[name] }) {
            guard context.view.things[key]?.values[name] != thing.values[name] else { continue }
            context.set(SnapshotCell(key: key, name: name), to: thing.values[name])
        }
        for name in ["owner", "boss"]
        where later.contains(where: { $0.targets[name] != thing.targets[name] }) {
            writeBack(name, of: key, to: thing.targets[name])
        }
    }

    /// Returns an object as the event has left it, deleted targets included. A target that was
    /// deleted before the event was not visible.
    private func edited(_ key: Int) -> SnapshotObject? {
        guard var thing = event.after.whole.things[key] else { return nil }
        thing.targets = thing.targets.filter { !event.before.deleted.contains($0.value) }
        return thing
    }

    private mutating func writeBack(_ name: String, of key: Int, to target: Int?) {
        if let target, !isLive(target) { return }
        guard context.view.things[key]?.targets[name] != target else { return }
        context.point(SnapshotCell(key: key, name: name), to: target)
    }

    private mutating func settle(except leaving: Set<Int>) {
        for key in Set(before.keys).union(after.keys).subtracting(leaving) where isTouched(key) {
            guard isLive(key), context.made[key] == nil else { continue }
            if event.before.updated.contains(key) {
                context.touch(key)
            } else if event.saves == saves, context.changedNames(of: key).isEmpty {
                context.untouch(key)
            }
        }
    }

    /// Returns whether the event has changed the object, what it shows, or whether it counts as
    /// updated.
    private func isTouched(_ key: Int) -> Bool {
        before[key] != after[key]
            || event.before.whole.things[key] != event.after.whole.things[key]
            || event.before.updated.contains(key) != event.after.updated.contains(key)
    }
}
