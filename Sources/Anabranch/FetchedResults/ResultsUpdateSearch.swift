import AnabranchStore

/// Finds the entries that left a result's window, those that entered it, and those that were in it
/// before and after.
struct ResultsUpdateSearch {
    typealias Place = ResultsReordering.Place

    private let old: ResultsState
    private let new: ResultsState
    private let reordering: ResultsReordering
    /// The entries in the window that were replaced by a new entry of the same record, by their
    /// former places.
    private(set) var pairs: [(old: Place, new: Place)] = []
    /// The deletions, by their former places.
    private(set) var deleted: [ResultsUpdate.Change] = []
    /// The insertions, by their new places.
    private(set) var inserted: [ResultsUpdate.Change] = []
    /// Entries of the former window that are not in the new one, or not with the same entry.
    private(set) var leaving: [ResultEntry] = []
    /// Entries of the new window that were not in the former one, or not with the same entry.
    private(set) var entering: [ResultEntry] = []

    init(old: ResultsState, new: ResultsState, reordering: ResultsReordering) {
        self.old = old
        self.new = new
        self.reordering = reordering
    }

    mutating func run() {
        let arrived = Dictionary(
            reordering.inserted.filter { new.window.contains($0.index) }.map { ($0.entry.id, $0) },
            uniquingKeysWith: { first, _ in first })
        var paired: Set<LocalID> = []
        for place in reordering.removed where old.window.contains(place.index) {
            leaving.append(place.entry)
            if let other = arrived[place.entry.id] {
                pairs.append((place, other))
                paired.insert(place.entry.id)
            } else {
                delete(place.entry, at: place.index)
            }
        }
        for place in reordering.inserted where new.window.contains(place.index) {
            entering.append(place.entry)
            if !paired.contains(place.entry.id) { insert(place.entry, at: place.index) }
        }
        followWindow()
        deleted.sort { ($0.old ?? 0) < ($1.old ?? 0) }
        inserted.sort { ($0.new ?? 0) < ($1.new ?? 0) }
    }

    /// Finds the entries of the rest that left or entered because the window shifted.
    private mutating func followWindow() {
        let before =
            reordering.restBefore(
                old: old.window.lowerBound)..<reordering.restBefore(old: old.window.upperBound)
        let after =
            reordering.restBefore(
                new: new.window.lowerBound)..<reordering.restBefore(new: new.window.upperBound)
        for number in Self.parts(of: before, outside: after) {
            let index = reordering.oldIndex(ofRest: number)
            leaving.append(old.entries[index])
            delete(old.entries[index], at: index)
        }
        for number in Self.parts(of: after, outside: before) {
            let index = reordering.newIndex(ofRest: number)
            entering.append(new.entries[index])
            insert(new.entries[index], at: index)
        }
    }

    private static func parts(of range: Range<Int>, outside other: Range<Int>) -> [Int] {
        let start =
            range.lowerBound..<max(range.lowerBound, min(range.upperBound, other.lowerBound))
        let end = min(range.upperBound, max(range.lowerBound, start.upperBound, other.upperBound))
        return Array(start) + Array(end..<range.upperBound)
    }

    private mutating func delete(_ entry: ResultEntry, at index: Int) {
        deleted.append(.init(entry: entry, old: index - old.window.lowerBound, new: nil))
    }

    private mutating func insert(_ entry: ResultEntry, at index: Int) {
        inserted.append(.init(entry: entry, old: nil, new: index - new.window.lowerBound))
    }

    /// Returns, for each pair, true if it can stay in place while others move.
    func staying(_ isSameSection: (ResultEntry, ResultEntry) -> Bool) -> [Bool] {
        var staying = Array(repeating: false, count: pairs.count)
        let candidates = pairs.indices.filter { index in
            let pair = pairs[index]
            return pair.old.gap == pair.new.gap && isSameSection(pair.old.entry, pair.new.entry)
        }
        for place in longestIncreasingRun(of: candidates.map { pairs[$0].new.index }) {
            staying[candidates[place]] = true
        }
        return staying
    }
}
