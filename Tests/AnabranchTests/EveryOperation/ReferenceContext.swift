/// The reference model of one context: a base, and the unsaved changes on top of it.
///
/// - Values are kept by property. A property that is set back to the base value is unchanged, but
///   its object still counts as updated.
/// - Deleting an object deletes its parts. A reference to a missing object shows nil. That is no
///   change of the referring object, although it counts as updated.
/// - When the base changes, unsaved changes stay, except those of missing objects. A to-one that
///   was set to a missing object becomes nil, or follows the base if it was nil before.
struct ReferenceContext {
    private(set) var base = GraphSnapshot()
    private(set) var made: [Int: SnapshotObject] = [:]
    private(set) var deleted: Set<Int> = []
    private(set) var values: [SnapshotCell: Int?] = [:]
    private(set) var targets: [SnapshotCell: Int?] = [:]
    private(set) var added: Set<SnapshotLink> = []
    private(set) var removed: Set<SnapshotLink> = []
    /// To-ones that an unsaved change has moved away from their base target. The former target then
    /// reports a change. A target that another save gave to a changed to-one reports none.
    private var left: Set<SnapshotCell> = []
    /// To-ones that were set while their target was deleted, so that they showed nil: they are
    /// compared with nil.
    private var hidden: Set<SnapshotCell> = []
    /// To-ones of existing objects. Their target was deleted afterwards.
    private var emptied: Set<SnapshotCell> = []
    /// The objects that count as updated. For inserted and deleted objects that is not visible.
    private(set) var dirty: Set<Int> = []

    init(above base: GraphSnapshot = GraphSnapshot()) { self.base = base }

    /// The state that the context shows.
    var view: GraphSnapshot {
        var snapshot = whole
        for key in deleted { snapshot.things[key] = nil }
        return snapshot.tidy
    }

    /// The state with the deleted objects, as if they were not deleted.
    var whole: GraphSnapshot {
        var snapshot = base
        snapshot.things.merge(made) { _, new in new }
        for (cell, value) in values { snapshot.things[cell.key]?.values[cell.name] = value }
        for (cell, target) in targets { snapshot.things[cell.key]?.targets[cell.name] = target }
        snapshot.links = snapshot.links.subtracting(removed).union(added)
        return snapshot
    }

    var updated: Set<Int> { dirty.subtracting(made.keys).subtracting(deleted) }
    var hasChanges: Bool { !made.isEmpty || !deleted.isEmpty || !updated.isEmpty }

    /// The objects that another context reads again after a save.
    var changedKeys: Set<Int> {
        deleted.union(made.keys).union(dirty.filter { !changedNames(of: $0).isEmpty })
    }

    /// The objects of the base for which a save writes a value or a to-one.
    var writtenKeys: Set<Int> {
        let cells = Array(values.keys) + targets.keys.filter(differs)
        return updated.intersection(cells.map(\.key))
    }

    /// Returns whether a to-one of an existing object shows another target than in the base. A
    /// to-one to a deleted object shows nil.
    func differs(_ cell: SnapshotCell) -> Bool {
        let stored = base.things[cell.key]?.targets[cell.name]
        let target = (targets[cell] ?? nil).flatMap { view.things[$0] == nil ? nil : $0 }
        return (hidden.contains(cell) ? nil : stored) != target
    }

    /// Returns the changed properties of an object that is neither inserted nor deleted.
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

// MARK: - Edits
extension ReferenceContext {
    mutating func insert(_ key: Int, _ thing: SnapshotObject) {
        made[key] = SnapshotObject(isTag: thing.isTag, life: thing.life)
        dirty.remove(key)
    }

    mutating func touch(_ keys: Int?...) {
        for key in keys.compactMap({ $0 }) { dirty.insert(key) }
    }

    mutating func untouch(_ key: Int) { dirty.remove(key) }

    mutating func set(_ cell: SnapshotCell, to value: Int?) {
        touch(cell.key)
        values[cell] = .some(value)
        settle()
    }

    mutating func point(_ cell: SnapshotCell, to target: Int?) {
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

    mutating func add(_ link: SnapshotLink) {
        touch(link.left, link.right)
        if removed.remove(link) == nil { added.insert(link) }
        settle()
    }

    mutating func remove(_ link: SnapshotLink) {
        touch(link.left, link.right)
        if added.remove(link) == nil { removed.insert(link) }
        settle()
    }

    /// Deletes objects and everything that their deletion deletes.
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

    /// Cancels an unsaved deletion. An object whose relationship with it differs from the base
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

    /// Removes an inserted object. The objects that referred to it count as updated.
    mutating func withdraw(_ key: Int) {
        let before = view
        for name in ["owner", "boss"] { before.holders(of: key, by: name).forEach { touch($0) } }
        before.things[key]?.targets.values.forEach { touch($0) }
        for link in before.links { if let other = link.other(than: key) { touch(other) } }
        drop([key])
    }

    /// Discards the changes of an object at both ends of its relationships. Changes at the end of a
    /// deleted object stay. An object that gets a reference back counts as updated.
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
        let isOthers = { [deleted] (link: SnapshotLink) in
            link.other(than: key).map(deleted.contains) ?? true
        }
        added = added.filter(isOthers)
        removed = removed.filter(isOthers)
        show(key)
        dirty.remove(key)
    }

    mutating func rollBack() { self = ReferenceContext(above: base) }

    /// Makes the saved state the base, without unsaved changes.
    mutating func settle(as saved: GraphSnapshot) { self = ReferenceContext(above: saved) }

    /// Replaces the base. A merge drops missing objects first and then reads the others; a refresh
    /// does it in the opposite order.
    mutating func rebase(to newer: GraphSnapshot, isRefresh: Bool = false) {
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

    /// Makes a to-one follow the base if it was nil there and was set to an object that is deleted
    /// by now.
    private mutating func dropHiddenTargets(under newer: GraphSnapshot) {
        for (cell, target) in targets where target.map(deleted.contains) ?? false {
            guard pointsToNothing(cell, except: []), emptied.contains(cell),
                newer.things[cell.key]?.targets[cell.name] != nil
            else { continue }
            targets[cell] = nil
        }
    }

    /// Keeps the base targets hidden that are deleted and that no unsaved change has moved away
    /// from.
    private mutating func hideTargets(under newer: GraphSnapshot, except gone: Set<Int>) {
        hidden = Set(
            targets.keys.filter { cell in
                pointsToNothing(cell, except: gone)
                    && isDeleted(newer.things[cell.key]?.targets[cell.name])
            })
    }

    /// Returns whether a to-one showed nil in the base when it was set.
    private func pointsToNothing(_ cell: SnapshotCell, except gone: Set<Int>) -> Bool {
        guard let former = base.things[cell.key]?.targets[cell.name] else { return true }
        return hidden.contains(cell) || gone.contains(former)
    }

    /// Removes objects with all their changes.
    ///
    /// - Parameters:
    ///   - isBelow: Whether objects of the base point to them. Otherwise those objects belong to
    ///     another record with the same key.
    ///   - exceptFromDeleted: Whether deleted objects stay related to them, in case both are
    ///     restored.
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
            targets[cell] = pointsToNothing(cell, except: isBelow ? gone : []) ? nil : .some(nil)
        }
        let isLeft = { (link: SnapshotLink) in
            !gone.contains(link.left) && !gone.contains(link.right)
                || kept.contains(link.left) || kept.contains(link.right)
        }
        added = added.filter(isLeft)
        removed = removed.filter(isLeft)
        settle()
    }

    /// Removes the changes that equal the base.
    private mutating func settle() {
        values = values.filter { cell, value in
            made[cell.key] != nil || base.things[cell.key]?.values[cell.name] != value
        }
        // A change that points to a deleted object shows nil, whatever the base has by now.
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
