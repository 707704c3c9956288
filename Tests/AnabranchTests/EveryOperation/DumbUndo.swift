/// What one event has changed in a context.
///
/// Undoing it takes back each difference by itself, in this order: things that are missing come
/// back, links that were added go, things that were deleted before are deleted again, properties
/// get what they had, as far as that is there, links that were removed come back, and what was not
/// there goes. What others have deleted stays deleted.
///
/// - A thing whose deletion is not saved is undeleted. Another one is made anew with the values and
///   to-ones that it had when it left, linked to those and referred to by those who were when it
///   was deleted, whatever others have done about that until the deletion was saved: a to-one of
///   somebody else that leads elsewhere by now stays so.
/// - Of the things that the event has touched, those that counted as updated before do so again;
///   the others do not, if nothing was saved since and nothing of them differs from what is saved.
/// - An undo is an event, too: undoing it is the redo. One that changes nothing can't be redone.
struct DumbEvent {
    let before: DumbMoment
    let after: DumbMoment
    /// How often the context has saved until then.
    let saves: Int

    /// - Returns: `nil` where the event has changed nothing.
    init?(from before: DumbMoment, to after: DumbMoment, saves: Int) {
        guard before.view != after.view else { return nil }
        self.before = before
        self.after = after
        self.saves = saves
    }
}

struct DumbMoment {
    let view: DumbPicture
    let whole: DumbPicture
    let deleted: Set<Int>
    let updated: Set<Int>

    init(_ context: DumbContext) {
        view = context.view
        whole = context.whole
        deleted = context.deleted
        updated = context.updated
    }
}

/// One undo on its way.
struct DumbUndo {
    var context: DumbContext
    let event: DumbEvent
    /// What things were like when they left.
    let remains: [Int: DumbPicture]
    /// Deleted by others.
    let dead: Set<Int>
    /// Of records that the store has had: they get another identity.
    let savedLives: [Int: Int]
    let saves: Int

    private var before: [Int: DumbThing] { event.before.view.things }
    private var after: [Int: DumbThing] { event.after.view.things }

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

    /// Who had left them before, does so first: parts are not lost with them. What their deletion
    /// had emptied, it empties again.
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

    /// Whether the link was changed, and not only an end of it that came or went; one that is
    /// deleted is not gone.
    private func isExplicit(_ link: DumbLink) -> Bool {
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
                context.set(DumbCell(key: key, name: name), to: value)
            }
        }
        for key in anew { relate(key) }
    }

    private mutating func relate(_ key: Int) {
        guard let remains = remains[key], let thing = remains.things[key] else { return }
        // To whom only the event has led it, it does not lead any more.
        for name in ["owner", "boss"] where thing.targets[name] == nil {
            guard context.view.things[key]?.targets[name] != nil else { continue }
            context.point(DumbCell(key: key, name: name), to: nil)
        }
        for (name, target) in thing.targets where isLive(target) {
            context.point(DumbCell(key: key, name: name), to: target)
        }
        for name in ["owner", "boss"] {
            for holder in remains.holders(of: key, by: name) where isLive(holder) {
                guard context.view.things[holder]?.targets[name] == nil else { continue }
                context.point(DumbCell(key: holder, name: name), to: key)
            }
        }
        for link in remains.links where link.mentions(key) && !context.view.links.contains(link) {
            if isLive(link.left), isLive(link.right) { context.add(link) }
        }
    }

    private mutating func writeBack(_ key: Int, _ thing: DumbThing) {
        guard isLive(key) else { return }
        let later = [after[key], edited(key)].compactMap(\.self)
        for name in ["a", "b"]
        where later.contains(where: { $0.values[name] != thing.values[name] }) {
            guard context.view.things[key]?.values[name] != thing.values[name] else { continue }
            context.set(DumbCell(key: key, name: name), to: thing.values[name])
        }
        for name in ["owner", "boss"]
        where later.contains(where: { $0.targets[name] != thing.targets[name] }) {
            writeBack(name, of: key, to: thing.targets[name])
        }
    }

    /// A thing as the event has left it, whomever that has deleted. To whom was deleted before,
    /// nobody was seen to lead.
    private func edited(_ key: Int) -> DumbThing? {
        guard var thing = event.after.whole.things[key] else { return nil }
        thing.targets = thing.targets.filter { !event.before.deleted.contains($0.value) }
        return thing
    }

    private mutating func writeBack(_ name: String, of key: Int, to target: Int?) {
        if let target, !isLive(target) { return }
        guard context.view.things[key]?.targets[name] != target else { return }
        context.point(DumbCell(key: key, name: name), to: target)
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

    /// Whether the event has changed the thing or what is to be seen of it, or made it count as
    /// updated.
    private func isTouched(_ key: Int) -> Bool {
        before[key] != after[key]
            || event.before.whole.things[key] != event.after.whole.things[key]
            || event.before.updated.contains(key) != event.after.updated.contains(key)
    }
}
