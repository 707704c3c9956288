import AnabranchReplication
import AnabranchStore

/// A result at one moment: its records in order, and their sections.
///
/// A copy is cheap, so the result before a change is there to be compared with the one behind it.
struct ResultsState {
    /// In order; of a request with a limit also those before the window and some behind it, so
    /// that the window can be filled again.
    var entries = BlockSequence<ResultEntry>()
    /// Of the window; without sections the one that all belong to.
    var sections = BlockSequence<SectionRun>()
    /// The part of the entries that is the result.
    var window: Range<Int> = 0..<0
    /// Where entries were left out behind the window: the last one before the first of those.
    /// `nil`: there are no others.
    var horizon: ResultEntry?

    init() {}

    init(_ entries: [ResultEntry], horizon: ResultEntry?, _ plan: ResultsPlan) {
        self.entries = BlockSequence(entries)
        self.horizon = horizon
        window = plan.window(of: entries.count)
        var runs: [SectionRun] = []
        if plan.sectionKey == nil {
            runs = [SectionRun(name: "", keys: [], count: window.count)]
        } else {
            for entry in entries[window] { Self.append(entry, to: &runs, plan) }
        }
        sections = BlockSequence(runs)
    }

    private static func append(
        _ entry: ResultEntry, to runs: inout [SectionRun], _ plan: ResultsPlan
    ) {
        let name = plan.sectionName(of: entry)
        if let last = runs.last, SectionName.areEqual(last.name, name) {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(SectionRun(name: name, keys: plan.sectionKeys(of: entry), count: 1))
        }
    }

    var count: Int { window.count }

    /// - Parameter index: In the window.
    func entry(at index: Int) -> ResultEntry { entries[window.lowerBound + index] }
}

// Places.
extension ResultsState {
    /// The place of a known entry among the entries, by bisection over the keys.
    func index(of entry: ResultEntry, _ plan: ResultsPlan) -> Int? {
        let index = entries.partition { !plan.areInOrder($0, entry) }
        if index < entries.count, entries[index] === entry { return index }
        // Only where the store sorts otherwise than memory does.
        for (index, other) in entries.enumerated() where other === entry { return index }
        return nil
    }

    /// Where an object of the window stands.
    ///
    /// - Parameter index: In the window.
    func place(at index: Int) -> (section: Int, item: Int) {
        guard let place = sections.element(atWeight: index) else { return (0, index) }
        return (place.index, place.offset)
    }

    /// - Returns: The place in the window; `nil` where there is none like that.
    func index(section: Int, item: Int) -> Int? {
        guard section >= 0, section < sections.count, item >= 0, item < sections[section].count
        else { return nil }
        return sections.weight(before: section) + item
    }

    /// The section that an entry of the window belongs to, or where it would have to be made.
    func section(of entry: ResultEntry, _ plan: ResultsPlan) -> (index: Int, isThere: Bool) {
        guard plan.sectionKey != nil else { return (0, true) }
        return section(named: plan.sectionName(of: entry), plan.sectionKeys(of: entry), plan)
    }

    /// By bisection; the first key of a section may be another one than that of the run.
    func section(
        named name: String, _ keys: [Value], _ plan: ResultsPlan
    ) -> (index: Int, isThere: Bool) {
        let index = sections.partition { plan.order($0.keys, keys) != .less }
        for candidate in [index, index - 1] where sections.indices.contains(candidate) {
            if SectionName.areEqual(sections[candidate].name, name) { return (candidate, true) }
        }
        return (index, false)
    }

    /// Counts an object more or less in its section, which is made where there is none.
    mutating func count(_ entry: ResultEntry, _ change: Int, _ plan: ResultsPlan) {
        let place = section(of: entry, plan)
        if place.isThere {
            sections.update(at: place.index) { $0.count += change }
        } else {
            sections.insert(
                SectionRun(
                    name: plan.sectionName(of: entry), keys: plan.sectionKeys(of: entry),
                    count: change), at: place.index)
        }
    }
}

extension BlockSequence {
    var indices: Range<Int> { 0..<count }
}
