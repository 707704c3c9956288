import AnabranchReplication
import AnabranchStore

/// The entries that left their places in the order, and those that got new places. All other
/// entries, called the rest, stay as they were.
///
/// The rest has the same order before and after. An entry's gap is the number of rest entries
/// before it, and so gaps can be compared across the change.
struct ResultsReordering {
    struct Place {
        let entry: ResultEntry
        /// The index among all entries before the change, or after it.
        let index: Int
        let gap: Int
    }

    /// The removed entries with their places before the change, ascending.
    private(set) var removed: [Place] = []
    /// The inserted entries with their places after the change, ascending.
    private(set) var inserted: [Place] = []

    /// Removes entries from a result and inserts new ones.
    ///
    /// An entry beyond the horizon is not inserted, because the store can have other records
    /// between it and the horizon.
    ///
    /// - Parameters:
    ///   - gone: Entries of the result.
    ///   - arriving: Entries that are not in the result, in any order.
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

    /// Returns the places of entries among the rest. An entry with unchanged keys belongs to its
    /// former gap and is not searched for.
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

    /// Computes the difference of two results by comparing all their entries.
    ///
    /// Entries with equal keys on both sides belong to the rest, unless their values have changed.
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

// Index conversions of the rest.
extension ResultsReordering {
    /// Returns the number of rest entries before an index in the former order.
    func restBefore(old index: Int) -> Int { index - Self.count(removed, below: index) }

    /// Returns the number of rest entries before an index in the new order.
    func restBefore(new index: Int) -> Int { index - Self.count(inserted, below: index) }

    /// Returns the former index of a rest entry.
    func oldIndex(ofRest number: Int) -> Int {
        number + removed.count(where: { $0.gap <= number })
    }

    /// Returns the new index of a rest entry.
    func newIndex(ofRest number: Int) -> Int {
        number + inserted.count(where: { $0.gap <= number })
    }

    private static func count(_ places: [Place], below index: Int) -> Int {
        places.partitioningIndex { $0.index >= index }
    }
}
