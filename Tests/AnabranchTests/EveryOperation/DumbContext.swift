/// One context: what is below it, and on top of that what it has not saved.
///
/// - What is set is kept by property. Setting a property back to what it was leaves no change, but
///   the thing still counts as updated.
/// - Deleting a thing deletes its parts. Whoever mentions a thing that is not there mentions
///   nobody, which is no change of his, though he counts as updated.
/// - When what is below changes, what is unsaved stays on top of it, except of things that are
///   gone: whoever was set to one is set to nobody, and as it is below if it was nobody before.
struct DumbContext {
    private(set) var base = DumbPicture()
    private(set) var made: [Int: DumbThing] = [:]
    private(set) var deleted: Set<Int> = []
    private(set) var values: [DumbCell: Int?] = [:]
    private(set) var targets: [DumbCell: Int?] = [:]
    private(set) var added: Set<DumbLink> = []
    private(set) var removed: Set<DumbLink> = []
    /// To-ones that an edit here has led away from where they lead below: whoever has lost them so
    /// tells of it, but not whom others have given them under an edit.
    private var left: Set<DumbCell> = []
    /// To-ones that were set while they led to somebody deleted, which is to nobody: they differ
    /// from that.
    private var hidden: Set<DumbCell> = []
    /// To-ones of those who were there when the one that they lead to was deleted.
    private var emptied: Set<DumbCell> = []
    /// Counted as updated; of things that were made or are deleted it does not show.
    private(set) var dirty: Set<Int> = []

    init(above base: DumbPicture = DumbPicture()) { self.base = base }

    /// What the context shows.
    var view: DumbPicture {
        var picture = whole
        for key in deleted { picture.things[key] = nil }
        return picture.tidy
    }

    /// With what is deleted, as it would show if it were not.
    var whole: DumbPicture {
        var picture = base
        picture.things.merge(made) { _, new in new }
        for (cell, value) in values { picture.things[cell.key]?.values[cell.name] = value }
        for (cell, target) in targets { picture.things[cell.key]?.targets[cell.name] = target }
        picture.links = picture.links.subtracting(removed).union(added)
        return picture
    }

    var updated: Set<Int> { dirty.subtracting(made.keys).subtracting(deleted) }
    var hasChanges: Bool { !made.isEmpty || !deleted.isEmpty || !updated.isEmpty }

    /// What others read again after a save.
    var changedKeys: Set<Int> {
        deleted.union(made.keys).union(dirty.filter { !changedNames(of: $0).isEmpty })
    }

    /// Of what is below, the things of which a save writes a value or a to-one.
    var writtenKeys: Set<Int> {
        let cells = Array(values.keys) + targets.keys.filter(differs)
        return updated.intersection(cells.map(\.key))
    }

    /// Whether a to-one of somebody who is there leads elsewhere than below. Who leads to somebody
    /// deleted leads to nobody.
    func differs(_ cell: DumbCell) -> Bool {
        let stored = base.things[cell.key]?.targets[cell.name]
        let target = (targets[cell] ?? nil).flatMap { view.things[$0] == nil ? nil : $0 }
        return (hidden.contains(cell) ? nil : stored) != target
    }

    /// What of a thing that is neither made nor deleted differs from what is below.
    func changedNames(of key: Int) -> [String] {
        let shown = view
        var names = Set(values.keys.filter { $0.key == key }.map(\.name))
        let there = { (target: Int?) in target.flatMap { shown.things[$0] == nil ? nil : $0 } }
        for (cell, target) in targets where shown.things[cell.key] != nil {
            let stored = base.things[cell.key]?.targets[cell.name]
            if cell.key == key, differs(cell) { names.insert(cell.name) }
            let former = there(stored)
            guard former != there(target) else { continue }
            guard key == target || key == former && left.contains(cell) else { continue }
            names.insert(cell.name == "owner" ? "parts" : "reports")
        }
        for link in added.union(removed) {
            guard let other = link.other(than: key), shown.things[other] != nil else { continue }
            names.insert(link.name == "tags" && link.right == key ? "nodes" : link.name)
        }
        return names.sorted()
    }
}

// Edits.
extension DumbContext {
    mutating func insert(_ key: Int, _ thing: DumbThing) {
        made[key] = DumbThing(isTag: thing.isTag, life: thing.life)
        dirty.remove(key)
    }

    mutating func touch(_ keys: Int?...) {
        for key in keys.compactMap({ $0 }) { dirty.insert(key) }
    }

    mutating func untouch(_ key: Int) { dirty.remove(key) }

    mutating func set(_ cell: DumbCell, to value: Int?) {
        touch(cell.key)
        values[cell] = .some(value)
        settle()
    }

    mutating func point(_ cell: DumbCell, to target: Int?) {
        touch(cell.key)
        let former = view.things[cell.key]?.targets[cell.name]
        guard former != target else { return }
        touch(former, target)
        let stored = base.things[cell.key]?.targets[cell.name]
        if former == stored { left.insert(cell) } else if target == stored { left.remove(cell) }
        if targets[cell] == nil, isDeleted(stored) { hidden.insert(cell) }
        targets[cell] = target == nil && hidden.contains(cell) ? nil : .some(target)
        settle()
    }

    private func isDeleted(_ key: Int?) -> Bool { key.map(deleted.contains) ?? false }

    mutating func add(_ link: DumbLink) {
        touch(link.left, link.right)
        if removed.remove(link) == nil { added.insert(link) }
        settle()
    }

    mutating func remove(_ link: DumbLink) {
        touch(link.left, link.right)
        if added.remove(link) == nil { removed.insert(link) }
        settle()
    }

    /// Deletes things, and those that are lost with them.
    mutating func delete(_ keys: Set<Int>) {
        let before = view
        let gone = keys.filter { before.things[$0] != nil }.reduce(into: Set<Int>()) {
            $0.formUnion(before.cascade(from: $1))
        }
        for key in gone {
            for name in ["owner", "boss"] {
                before.holders(of: key, by: name).forEach { touch($0) }
            }
            before.things[key]?.targets.values.forEach { touch($0) }
            for link in before.links { if let other = link.other(than: key) { touch(other) } }
        }
        for (cell, target) in targets {
            guard let target, gone.contains(target), !gone.contains(cell.key) else { continue }
            if before.things[cell.key] != nil { emptied.insert(cell) }
        }
        deleted.formUnion(gone.filter { made[$0] == nil })
        drop(gone.filter { made[$0] != nil }, exceptFromDeleted: true)
    }

    /// Takes a deletion back that is not saved; whoever is related to it otherwise than below
    /// counts as updated.
    mutating func undelete(_ key: Int) {
        show(key)
        let shown = view
        let there = { (other: Int?) in other.flatMap { shown.things[$0] == nil ? nil : $0 } }
        for (cell, target) in targets where differs(cell) {
            let former = left.contains(cell) ? base.things[cell.key]?.targets[cell.name] : nil
            if cell.key == key { touch(there(target), there(former)) }
            if target == key || former == key { touch(there(cell.key)) }
        }
        for link in added.union(removed) { touch(there(link.other(than: key))) }
    }

    private mutating func show(_ key: Int) {
        deleted.remove(key)
        emptied = emptied.filter { targets[$0] != key }
        hidden = hidden.filter { base.things[$0.key]?.targets[$0.name] != key }
        settle()
    }

    /// What was made is taken back; whoever mentioned it has changed.
    mutating func withdraw(_ key: Int) {
        let before = view
        for name in ["owner", "boss"] { before.holders(of: key, by: name).forEach { touch($0) } }
        before.things[key]?.targets.values.forEach { touch($0) }
        for link in before.links { if let other = link.other(than: key) { touch(other) } }
        drop([key])
    }

    /// Takes back what has changed of a thing, at both ends of its relationships, except of those
    /// that others have with it who are deleted; whoever gets something back by that counts as
    /// updated.
    mutating func discard(_ key: Int) {
        for (cell, target) in targets where cell.key == key || target == key {
            guard !deleted.contains(cell.key) else { continue }
            guard let former = base.things[cell.key]?.targets[cell.name], former != target else {
                continue
            }
            if view.things[former] != nil { touch(former) }
        }
        targets = targets.filter { cell, target in
            let isFormer = base.things[cell.key]?.targets[cell.name] == key
            guard cell.key != key else { return false }
            return deleted.contains(cell.key)
                || target != key && !(isFormer && left.contains(cell))
        }
        if made[key] != nil { return drop([key]) }
        values = values.filter { $0.key.key != key }
        let isOthers = { [deleted] (link: DumbLink) in
            link.other(than: key).map(deleted.contains) ?? true
        }
        added = added.filter(isOthers)
        removed = removed.filter(isOthers)
        show(key)
        dirty.remove(key)
    }

    mutating func rollBack() { self = DumbContext(above: base) }

    /// What was unsaved is below now.
    mutating func settle(as saved: DumbPicture) { self = DumbContext(above: saved) }

    /// What is below has changed: things that are gone are dropped, and the others are read again;
    /// by a refresh the other way round.
    mutating func rebase(to newer: DumbPicture, isRefresh: Bool = false) {
        let gone = Set(base.things.filter { newer.things[$0]?.life != $1.life }.keys)
        if !isRefresh { drop(gone) }
        dropHiddenTargets(under: newer)
        hideTargets(under: newer, except: isRefresh ? [] : gone)
        left = left.filter { cell in
            let former = base.things[cell.key]?.targets[cell.name]
            return former == newer.things[cell.key]?.targets[cell.name]
                && !(former.map(gone.contains) ?? false)
        }
        base = newer
        if isRefresh { drop(gone, isBelow: false) } else { settle() }
    }

    /// Whoever led to nobody, and then to somebody who is deleted by now, leads as it is below.
    private mutating func dropHiddenTargets(under newer: DumbPicture) {
        for (cell, target) in targets where target.map(deleted.contains) ?? false {
            guard leadsToNobody(cell, except: []), emptied.contains(cell),
                newer.things[cell.key]?.targets[cell.name] != nil
            else { continue }
            targets[cell] = nil
        }
    }

    /// What nobody has been led away from stays hidden if it is deleted.
    private mutating func hideTargets(under newer: DumbPicture, except gone: Set<Int>) {
        hidden = Set(
            targets.keys.filter { cell in
                leadsToNobody(cell, except: gone)
                    && isDeleted(newer.things[cell.key]?.targets[cell.name])
            })
    }

    /// Whether a to-one leads to nobody below, as it was seen when it was set.
    private func leadsToNobody(_ cell: DumbCell, except gone: Set<Int>) -> Bool {
        guard let former = base.things[cell.key]?.targets[cell.name] else { return true }
        return hidden.contains(cell) || gone.contains(former)
    }

    /// Things are gone, with all that was changed of them.
    ///
    /// - Parameters:
    ///   - isBelow: Whether things below lead to them; otherwise it is others with their keys.
    ///   - exceptFromDeleted: What is deleted is related to them still, for when both are brought
    ///     back.
    private mutating func drop(
        _ gone: Set<Int>, isBelow: Bool = true, exceptFromDeleted: Bool = false
    ) {
        let kept = exceptFromDeleted ? deleted : []
        made = made.filter { !gone.contains($0.key) }
        deleted.subtract(gone)
        dirty.subtract(gone)
        values = values.filter { !gone.contains($0.key.key) }
        targets = targets.filter { cell, target in
            !gone.contains(cell.key) || target.map(kept.contains) ?? false
        }
        for (cell, target) in targets where !kept.contains(cell.key) {
            guard let target, gone.contains(target) else { continue }
            targets[cell] = leadsToNobody(cell, except: isBelow ? gone : []) ? nil : .some(nil)
        }
        let isLeft = { (link: DumbLink) in
            !gone.contains(link.left) && !gone.contains(link.right)
                || kept.contains(link.left) || kept.contains(link.right)
        }
        added = added.filter(isLeft)
        removed = removed.filter(isLeft)
        settle()
    }

    /// What is as below is no change.
    private mutating func settle() {
        values = values.filter { cell, value in
            made[cell.key] != nil || base.things[cell.key]?.values[cell.name] != value
        }
        // An edit that leads to somebody deleted leads to nobody, whoever leads there by now.
        targets = targets.filter { cell, target in
            made[cell.key] != nil || isDeleted(target)
                || base.things[cell.key]?.targets[cell.name] != target
        }
        hidden.formIntersection(targets.keys)
        emptied.formIntersection(targets.keys)
        added.subtract(base.links)
        removed.formIntersection(base.links)
    }
}
