import AnabranchStore

/// Which entries left their place in the order and which got a place, with all others in between
/// as they were.
///
/// "The rest" are those others. They stand in one order before and after, so a place among them,
/// its gap, can be compared across the change: it is how many of the rest come before it.
struct ResultsReordering {
    struct Place {
        let entry: ResultEntry
        /// Among all entries of its side.
        let index: Int
        let gap: Int
    }

    /// With their places before, ascending.
    private(set) var removed: [Place] = []
    /// With their places after, ascending.
    private(set) var inserted: [Place] = []

    /// Takes entries out of a result and puts others in.
    ///
    /// An entry beyond the horizon is not put in: between it and the horizon there may be others.
    ///
    /// - Parameters:
    ///   - gone: Entries of the result.
    ///   - arriving: Entries that are not among the others, in any order.
    init(
        of state: inout ResultsState, taking gone: [ResultEntry], putting arriving: [ResultEntry],
        _ plan: ResultsPlan
    ) {
        let places = gone.compactMap { entry in
            state.index(of: entry, plan).map { (entry, $0) }
        }.sorted { $0.1 < $1.1 }
        removed = places.enumerated().map { number, place in
            Place(entry: place.0, index: place.1, gap: place.1 - number)
        }
        for place in removed.reversed() { state.entries.remove(at: place.index) }
        let known = arriving.filter { entry in
            state.horizon.map { !plan.areInOrder($0, entry) } ?? true
        }
        inserted = Self.places(of: known, in: state.entries, whereRemovedWere: removed, plan)
        for place in inserted { state.entries.insert(place.entry, at: place.index) }
        state.window = plan.window(of: state.entries.count)
    }

    /// Where entries belong among the rest: with the keys that it had before, one belongs where it
    /// was, and is not searched for.
    private static func places(
        of arriving: [ResultEntry], in rest: BlockSequence<ResultEntry>,
        whereRemovedWere removed: [Place], _ plan: ResultsPlan
    ) -> [Place] {
        let before = Dictionary(uniqueKeysWithValues: removed.map { ($0.entry.id, $0) })
        let gaps = arriving.map { entry in
            if let place = before[entry.id], place.entry.keys == entry.keys {
                return (entry: entry, gap: place.gap)
            }
            return (entry, rest.partition { !plan.areInOrder($0, entry) })
        }
        let ascending = gaps.sorted {
            $0.gap == $1.gap ? plan.areInOrder($0.entry, $1.entry) : $0.gap < $1.gap
        }
        return ascending.enumerated().map { number, place in
            Place(entry: place.entry, index: place.gap + number, gap: place.gap)
        }
    }

    /// What lies between two results, found by looking at all entries of both.
    ///
    /// Entries with equal keys on both sides are the rest, unless their values have changed.
    init(
        from old: ResultsState, to new: ResultsState,
        isChanged: (ResultEntry, ResultEntry) -> Bool
    ) {
        let before = Dictionary(
            old.entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var staying: Set<LocalID> = []
        for entry in new.entries {
            if let other = before[entry.id], other.keys == entry.keys, !isChanged(other, entry) {
                staying.insert(entry.id)
            }
        }
        removed = Self.places(in: old.entries, except: staying)
        inserted = Self.places(in: new.entries, except: staying)
    }

    private static func places(
        in entries: BlockSequence<ResultEntry>, except staying: Set<LocalID>
    ) -> [Place] {
        var places: [Place] = []
        for (index, entry) in entries.enumerated() where !staying.contains(entry.id) {
            places.append(Place(entry: entry, index: index, gap: index - places.count))
        }
        return places
    }
}

// The rest, by numbers.
extension ResultsReordering {
    /// How many of the rest stand before a place in the order before.
    func restBefore(old index: Int) -> Int { index - Self.count(removed, below: index) }

    /// How many of the rest stand before a place in the order after.
    func restBefore(new index: Int) -> Int { index - Self.count(inserted, below: index) }

    /// Where one of the rest stood.
    func oldIndex(ofRest number: Int) -> Int {
        number + removed.count(where: { $0.gap <= number })
    }

    /// Where one of the rest stands.
    func newIndex(ofRest number: Int) -> Int {
        number + inserted.count(where: { $0.gap <= number })
    }

    private static func count(_ places: [Place], below index: Int) -> Int {
        var low = 0
        var high = places.count
        while low < high {
            let middle = low + (high - low) / 2
            if places[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
