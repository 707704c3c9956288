import AnabranchStore

/// The order of a list as a context has it, with what has moved in it since the last save.
struct ListState {
    /// All members; before the store was asked, those that were added here.
    private(set) var order: [LocalID] = []
    /// Added or moved since the last save; they get new places.
    var placed: Set<LocalID> = []
    /// Whether the order began with that of the store.
    private var isLoaded = false
    /// What the order was without `placed`, from the first time that something was moved or taken
    /// out since the last load or save; until then something was only appended.
    private var formerOrder: [LocalID]?

    /// Whether everything stands again where it stood at the last load or save.
    var isAsFormerly: Bool { formerOrder.map { $0 == order } ?? false }

    private mutating func keepFormerOrder() {
        guard isLoaded, formerOrder == nil else { return }
        formerOrder = placed.isEmpty ? order : order.filter { !placed.contains($0) }
    }

    /// What stands where is saved.
    mutating func commit() {
        placed = []
        formerOrder = nil
    }

    /// Puts everything back where it stood at the last load or save.
    ///
    /// - Parameter former: The members then.
    mutating func takeBack(to former: Set<LocalID>) {
        keepFormerOrder()
        order = (formerOrder ?? []).filter(former.contains)
        order += former.subtracting(order).sorted()
    }

    mutating func append(_ id: LocalID) {
        order.append(id)
        placed.insert(id)
    }

    mutating func remove(_ ids: Set<LocalID>) {
        keepFormerOrder()
        if ids.count == 1, let last = order.last, ids.contains(last) {
            order.removeLast()
        } else {
            order.removeAll(where: ids.contains)
        }
        placed.subtract(ids)
    }

    mutating func move(_ id: LocalID, to index: Int) {
        keepFormerOrder()
        order.removeAll { $0 == id }
        order.insert(id, at: min(max(index, 0), order.count))
        placed.insert(id)
    }

    /// Puts members behind those that they stand behind in another order.
    ///
    /// - Parameters:
    ///   - ids: The members to put elsewhere. Others of the order stay.
    ///   - model: The other order, which may have records that are no members.
    ///   - isEnd: True if that is the end of an order, so that it goes behind the others.
    mutating func place(_ ids: Set<LocalID>, standingAsIn model: [LocalID], isEnd: Bool) {
        keepFormerOrder()
        let moved = ids.intersection(order).intersection(model)
        let kept = order.filter { !moved.contains($0) }
        let ahead = isEnd ? kept.suffix(1) : []
        order = Self.joined(kept, moved, standingAsIn: ahead + model)
        placed.formUnion(moved)
    }

    mutating func arrange(_ wanted: [LocalID]) -> [LocalID] {
        keepFormerOrder()
        let places = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
        let kept = Set(longestIncreasingRun(of: wanted.map { places[$0] ?? 0 }).map { wanted[$0] })
        order = wanted
        let moved = wanted.filter { !kept.contains($0) }
        placed.formUnion(moved)
        return moved
    }

    /// Takes the store's order. What was placed here goes behind the one that it stood behind,
    /// where that is still there; what was only added goes to the end.
    mutating func load(_ stored: [LocalID], members: Set<LocalID>) {
        placed.formIntersection(members)
        var loaded = stored.filter { !placed.contains($0) }
        if placed.isEmpty || !isLoaded {
            loaded += order.filter(placed.contains)
        } else {
            loaded = Self.joined(loaded, placed, standingAsIn: order)
        }
        order = loaded
        formerOrder = nil
        isLoaded = true
    }

    /// The members of an earlier order that are gone, or that stand elsewhere among those that were
    /// there: as few as can be.
    func moved(since former: [LocalID]) -> Set<LocalID> {
        let places = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
        let left = former.filter { places[$0] != nil }
        let kept = longestIncreasingRun(of: left.map { places[$0] ?? 0 }).map { left[$0] }
        return Set(former).subtracting(kept)
    }

    /// Puts members back where they stood in an earlier order: behind the one that they stood
    /// behind, if it is there.
    mutating func putBack(_ moved: Set<LocalID>, as former: [LocalID]) {
        keepFormerOrder()
        let kept = order.filter { !moved.contains($0) }
        let present = Set(order)
        let strangers = moved.intersection(present).subtracting(former)
        order = Self.joined(kept, present, standingAsIn: former) + strangers.sorted()
    }

    /// The members of a list, and others behind the members that they stand behind in another
    /// order; those that stand behind none come first.
    private static func joined(
        _ members: [LocalID], _ others: Set<LocalID>, standingAsIn model: [LocalID]
    ) -> [LocalID] {
        let anchors = Set(members)
        var first: [LocalID] = []
        var following: [LocalID: [LocalID]] = [:]
        var anchor: LocalID?
        for id in model {
            if anchors.contains(id) {
                anchor = id
            } else if others.contains(id) {
                if let anchor {
                    following[anchor, default: []].append(id)
                } else {
                    first.append(id)
                }
            }
        }
        return first + members.flatMap { [$0] + (following[$0] ?? []) }
    }

    /// Brings in a member that the store has, at the end, without a place of its own.
    mutating func regain(_ id: LocalID) { if !order.contains(id) { order.append(id) } }

    mutating func rename(_ names: [LocalID: LocalID]) {
        var seen: Set<LocalID> = []
        order = order.map { names[$0] ?? $0 }.filter { seen.insert($0).inserted }
        placed = Set(placed.map { names[$0] ?? $0 })
        // Two may be one, which stands in one place.
        if formerOrder != nil { formerOrder = [] }
    }

    /// Where what was placed is the end of the list: that end, in its order.
    var placedEnd: [LocalID]? {
        let end = order.suffix(placed.count)
        return !isLoaded || end.allSatisfy(placed.contains) ? Array(end) : nil
    }
}
