import AnabranchStore

/// The records of a context that others stand for, in the order in which they came to: what a
/// context below, which may know them, has not heard of yet.
struct RecordReplacements {
    private var names: [(former: LocalID, present: LocalID)] = []
    private var forgottenCount = 0

    /// How many there have been.
    var count: Int { forgottenCount + names.count }

    mutating func add(_ others: [LocalID: LocalID]) {
        for (former, present) in others { names.append((former, present)) }
    }

    mutating func forgetAll() {
        forgottenCount = count
        names = []
    }

    /// Those after the first ones, as far as they are known still.
    func names(since first: Int) -> [LocalID: LocalID] {
        let new = names.dropFirst(max(0, first - forgottenCount))
        return Dictionary(new.map { ($0.former, $0.present) }) { $1 }
    }
}

extension ManagedObjectContext {
    /// Keeps for the contexts below what stands for records that they may know. A context that is
    /// made later knows none of them.
    func recordReplacements(_ names: [LocalID: LocalID]) {
        if !names.isEmpty, !children.isEmpty { successions.add(names) }
    }

    /// Follows what the context above knows to stand for others, before their records are asked
    /// for there in vain.
    func followParent() {
        guard case .parent(let parent) = source else { return }
        let followed = followedSuccessions
        let (names, count) = parent.onQueue {
            ($0.successions.names(since: followed), $0.successions.count)
        }
        followedSuccessions = count
        if !names.isEmpty { follow(names) }
    }

    /// Has objects be those that stand for them. What the store can't tell is told by the next
    /// save.
    ///
    /// - Returns: What was renamed here, old to new.
    @discardableResult
    func follow(_ names: [LocalID: LocalID]) -> [ManagedObjectID: ManagedObjectID] {
        guard !names.isEmpty else { return [:] }
        var following = ReplacementMerge(names, in: self)
        do {
            try following.run()
        } catch {
            keep(error)
        }
        event.renamedObjects.merge(following.renamed) { $1 }
        recordReplacements(following.names)
        return following.renamed
    }
}
