import AnabranchStore

/// The effect of an event on a result, computed from a reordering.
///
/// An object that got a new entry has moved, unless it can stay: it has the same gap and section
/// as before, and belongs to the longest run of such objects in its gap that is still in order.
/// The rest has unchanged keys and never moves. If the window shifts, some of the rest leave it at
/// one end or enter it at the other.
struct ResultsUpdate {
    struct Change {
        let entry: ResultEntry
        /// The index in the window before.
        let old: Int?
        /// The index in the window after.
        let new: Int?
    }

    let old: ResultsState
    let new: ResultsState
    private(set) var deleted: [Change] = []
    private(set) var inserted: [Change] = []
    private(set) var moved: [Change] = []
    private(set) var updated: [Change] = []
    /// The removed sections, by their former index, ascending.
    private(set) var deletedSections: [(name: String, index: Int)] = []
    /// The new sections, by their new index, ascending.
    private(set) var insertedSections: [(name: String, index: Int)] = []

    /// - Parameters:
    ///   - new: The new result, still with its former sections.
    ///   - isChanged: Returns true if the values of an entry that was there before and is now have
    ///     changed.
    init(
        from old: ResultsState, to new: ResultsState, by reordering: ResultsReordering,
        _ plan: ResultsPlan, isChanged: (ResultEntry, ResultEntry) -> Bool
    ) {
        self.old = old
        var new = new
        var search = ResultsUpdateSearch(old: old, new: new, reordering: reordering)
        search.run()
        Self.countSections(&new, old, search, plan)
        let gone = Self.dropEmptySections(&new, search.leaving, plan)
        self.new = new
        deletedSections = gone.compactMap { run in
            let place = old.section(named: run.name, run.keys, plan)
            return place.isThere ? (run.name, place.index) : nil
        }
        insertedSections = Self.newSections(search.entering, old, new, plan)
        deleted = search.deleted
        inserted = search.inserted
        let staying = search.staying { $0.isSameSection(as: $1, plan) }
        for (pair, isStaying) in zip(search.pairs, staying) {
            let change = Change(
                entry: pair.new.entry, old: pair.old.index - old.window.lowerBound,
                new: pair.new.index - new.window.lowerBound)
            if !isStaying {
                moved.append(change)
            } else if isChanged(pair.old.entry, pair.new.entry) {
                updated.append(change)
            }
        }
    }

    var isEmpty: Bool {
        deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
            && deletedSections.isEmpty && insertedSections.isEmpty
    }

    private static func countSections(
        _ new: inout ResultsState, _ old: ResultsState, _ search: ResultsUpdateSearch,
        _ plan: ResultsPlan
    ) {
        new.sections = old.sections
        for entry in search.leaving { new.count(entry, -1, plan) }
        for entry in search.entering { new.count(entry, 1, plan) }
    }

    private static func dropEmptySections(
        _ new: inout ResultsState, _ leaving: [ResultEntry], _ plan: ResultsPlan
    ) -> [SectionRun] {
        guard plan.sectionKey != nil else { return [] }
        var empty: Set<Int> = []
        for entry in leaving {
            let place = new.section(of: entry, plan)
            if place.isThere, new.sections[place.index].count == 0 { empty.insert(place.index) }
        }
        return empty.sorted(by: >).map { new.sections.remove(at: $0) }.reversed()
    }

    private static func newSections(
        _ entering: [ResultEntry], _ old: ResultsState, _ new: ResultsState, _ plan: ResultsPlan
    ) -> [(name: String, index: Int)] {
        guard plan.sectionKey != nil else { return [] }
        var indexes: Set<Int> = []
        for entry in entering where !old.section(of: entry, plan).isThere {
            let place = new.section(of: entry, plan)
            if place.isThere { indexes.insert(place.index) }
        }
        return indexes.sorted().map { (new.sections[$0].name, $0) }
    }
}

extension ResultEntry {
    fileprivate func isSameSection(as other: ResultEntry, _ plan: ResultsPlan) -> Bool {
        plan.sectionKey == nil
            || SectionName.areEqual(plan.sectionName(of: self), plan.sectionName(of: other))
    }
}
