import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Keeps a result up to date while its context changes.
///
/// An event names the records that it concerns. These and no others are evaluated again: in memory
/// if the context has their values, and otherwise by one SELECT that is restricted to their IDs.
/// Their entries hold the former sort keys, and so their former places are found by bisection
/// although the objects have changed. For k records among n, an event costs k · log n comparisons
/// and copies of the k · log n tree nodes above them. It does not visit the other n − k records.
/// The former result, which the report needs, shares all other nodes.
///
/// A new fetch and a comparison of all entries are necessary in five cases:
///
/// - There was no observer for a while.
/// - A window has no spare records after it any more.
/// - Another context or replica deleted a record to which other objects pointed by a relationship
///   that the record stored itself.
/// - The request sorts by the relevance to a search, which depends on all texts.
/// - Another process has changed records that the history of the store does not name.
final class ResultsTracker: ContextObserver {
    let context: ManagedObjectContext
    private(set) var plan: ResultsPlan
    private(set) var state = ResultsState()
    /// True if there is a result that can be tracked.
    private(set) var isFollowing = false
    /// True if an event was not tracked, so that the next event compares everything.
    private var isBehind = false
    private var entriesByID: [LocalID: ResultEntry] = [:]
    /// Entries with unsaved changes when they were last evaluated.
    private var edited: Set<LocalID> = []
    private var waiting: [EventChanges] = []
    private var isReporting = false

    /// Returns true if there is an observer.
    var isHeard: () -> Bool = { false }
    var report: (ResultsUpdate) -> Void = { _ in }

    init(context: ManagedObjectContext, plan: ResultsPlan) {
        self.context = context
        self.plan = plan
    }

    private var reader: ResultsReader { ResultsReader(context: context, plan: plan) }

    /// Starts again with a fetched result.
    ///
    /// - Throws: ``FetchedResultsError`` if the objects of a section are not neighbours. The former
    ///   result stays.
    func start(_ whole: ResultsReader.Whole, _ plan: ResultsPlan) throws {
        let fetched = ResultsState(whole.entries, horizon: whole.horizon, plan)
        try plan.checkSections(of: fetched, in: context)
        self.plan = plan
        take(whole)
        state = fetched
        isFollowing = true
        isBehind = false
        waiting = []
    }

    private func take(_ whole: ResultsReader.Whole) {
        entriesByID = Dictionary(
            whole.entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        edited = Set(whole.entries.lazy.filter(\.isEdited).map(\.id))
    }

    func entry(of id: LocalID) -> ResultEntry? { entriesByID[id] }
}

// Following the changes of the context.
extension ResultsTracker {
    func contextWasReset() {
        isFollowing = false
        waiting = []
    }

    /// The values of edited entries that observers have seen are now stored.
    func contextDidSave() {
        for id in edited {
            guard let entry = entriesByID[id], let object = context.held(id),
                !object.differsFromRow
            else { continue }
            entry.version = object.version
            entry.isEdited = false
        }
        edited = edited.filter { entriesByID[$0]?.isEdited ?? false }
        if plan.ranking != nil { rankAgain() }
    }

    /// Fetches a result that is sorted by relevance, which the texts of a save have changed.
    private func rankAgain() {
        guard isFollowing, !isReporting, isHeard() else {
            isBehind = true
            return
        }
        isReporting = true
        defer { isReporting = false }
        do {
            try reread(AffectedRecords.haveDifferentRows)
        } catch {
            isBehind = true
            context.keep(error)
        }
        followWaiting()
    }

    private func followWaiting() {
        while isFollowing, !waiting.isEmpty { follow(waiting.removeFirst()) }
    }

    /// Processes an event. An event that arrives while another one is being reported waits.
    func contextDidChange(_ event: EventChanges) {
        guard isFollowing else { return }
        guard isHeard() else {
            isBehind = true
            return
        }
        waiting.append(event)
        guard !isReporting else { return }
        isReporting = true
        defer { isReporting = false }
        followWaiting()
    }

    /// Follows one event. The context's next save throws an error of the store, and the next event
    /// compares everything.
    private func follow(_ event: EventChanges) {
        do {
            let concern = try AffectedRecords(event, plan, in: context)
            let isOfUnknownExtent = isBehind || event.extent == .unknown
            if isBehind || concern.isUntraceable || plan.ranking != nil && !concern.isEmpty {
                try reread { before, after in
                    concern.isChanged(before, after)
                        || isOfUnknownExtent && AffectedRecords.haveDifferentRows(before, after)
                }
            } else if !concern.isEmpty {
                try judge(concern)
            }
        } catch {
            isBehind = true
            context.keep(error)
        }
    }

    private func judge(_ concern: AffectedRecords) throws {
        let found = try reader.entries(among: concern.ids.keys)
        var gone: [ResultEntry] = []
        var arriving: [ResultEntry] = []
        for id in concern.ids.keys {
            let (before, after) = (entriesByID[id], found[id])
            if let before, let after, before.keys == after.keys, before.object === after.object,
                !concern.isChanged(before, after)
            {
                continue
            }
            if let before { gone.append(before) }
            if let after { arriving.append(after) }
        }
        guard !gone.isEmpty || !arriving.isEmpty else { return }
        var new = state
        let reordering = ResultsReordering(of: &new, taking: gone, putting: arriving, plan)
        if let end = plan.windowEnd, new.horizon != nil, new.entries.count < end {
            return try reread(concern.isChanged)
        }
        for entry in gone { forget(entry) }
        for place in reordering.inserted { remember(place.entry) }
        try finish(
            ResultsUpdate(from: state, to: new, by: reordering, plan, isChanged: concern.isChanged))
    }

    /// Fetches everything again and compares.
    private func reread(_ isChanged: (ResultEntry, ResultEntry) -> Bool) throws {
        let whole = try reader.whole()
        let new = ResultsState(whole.entries, horizon: whole.horizon, plan)
        let reordering = ResultsReordering(from: state, to: new, isChanged: isChanged)
        isBehind = false
        take(whole)
        try finish(ResultsUpdate(from: state, to: new, by: reordering, plan, isChanged: isChanged))
    }

    private func finish(_ update: ResultsUpdate) throws {
        try plan.checkSections(of: update.new, in: context)
        state = update.new
        trim()
        if !update.isEmpty { report(update) }
    }

    private func forget(_ entry: ResultEntry) {
        entriesByID[entry.id] = nil
        edited.remove(entry.id)
    }

    private func remember(_ entry: ResultEntry) {
        entriesByID[entry.id] = entry
        if entry.isEdited { edited.insert(entry.id) }
    }

    /// Drops the entries far after the window of a request with a limit.
    private func trim() {
        guard let end = plan.windowEnd, state.entries.count > 2 * end + 1024 else { return }
        let kept = end + 512
        while state.entries.count > kept {
            forget(state.entries.remove(at: state.entries.count - 1))
        }
        state.horizon = state.entries.isEmpty ? nil : state.entries[state.entries.count - 1]
    }
}
