import AnabranchReplication
import AnabranchStore

/// A result at one moment: its records in order, and their sections.
///
/// A copy is cheap, so that the result before a change can be compared with the result after it.
struct ResultsState {
    /// The entries in order. For a request with a limit, they include the entries before the
    /// window and some after it, so that the window can be filled again.
    var entries = BlockSequence<ResultEntry>()
    /// The sections of the window; without a section key the one section to which all entries
    /// belong.
    var sections = BlockSequence<SectionRun>()
    /// The range of the entries that is the result.
    var window: Range<Int> = 0..<0
    /// The last known entry if the store has more records after it; `nil` if there are none.
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

    /// - Parameter index: An index in the window.
    func entry(at index: Int) -> ResultEntry { entries[window.lowerBound + index] }
}

// Places.
extension ResultsState {
    /// Returns the index of a known entry among the entries, by bisection over the keys.
    func index(of entry: ResultEntry, _ plan: ResultsPlan) -> Int? {
        let index = entries.partition { !plan.areInOrder($0, entry) }
        if index < entries.count, entries[index] === entry { return index }
        // This is reached only if the store sorts differently from memory.
        for (index, other) in entries.enumerated() where other === entry { return index }
        return nil
    }

    /// Returns the section of an object of the window, and its index there.
    ///
    /// - Parameter index: An index in the window.
    func place(at index: Int) -> (section: Int, item: Int) {
        guard let place = sections.element(atWeight: index) else { return (0, index) }
        return (place.index, place.offset)
    }

    /// - Returns: The index in the window; `nil` if there is no such place.
    func index(section: Int, item: Int) -> Int? {
        guard section >= 0, section < sections.count, item >= 0, item < sections[section].count
        else { return nil }
        return sections.weight(before: section) + item
    }

    /// Returns the section of an entry of the window, or the index where it would have to be
    /// inserted.
    func section(of entry: ResultEntry, _ plan: ResultsPlan) -> (index: Int, isThere: Bool) {
        guard plan.sectionKey != nil else { return (0, true) }
        return section(named: plan.sectionName(of: entry), plan.sectionKeys(of: entry), plan)
    }

    /// Finds a section by bisection. The first keys of a section can differ from those of its run.
    func section(
        named name: String, _ keys: [PropertyValue], _ plan: ResultsPlan
    ) -> (index: Int, isThere: Bool) {
        let index = sections.partition { plan.order($0.keys, keys) != .less }
        for candidate in [index, index - 1] where sections.indices.contains(candidate) {
            if SectionName.areEqual(sections[candidate].name, name) { return (candidate, true) }
        }
        return (index, false)
    }

    /// Changes the number of objects in an entry's section, which is inserted if it does not
    /// exist.
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
