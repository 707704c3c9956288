import AnabranchStore

/// Who follows what happens in a context, on its queue, while it happens.
protocol ResultsFollower: AnyObject {
    /// An event is over, or changes of others were merged.
    func contextDidChange(_ event: EventChanges)
    /// What was pending is stored, and is not pending any more.
    func contextDidSave()
    /// Every object is forgotten.
    func contextWasReset()
}

/// A context's followers, none of which it keeps.
struct ResultsFollowers {
    private struct Reference {
        weak var follower: (any ResultsFollower)?
    }

    private var references: [Reference] = []

    var isEmpty: Bool { references.isEmpty }
    var all: [any ResultsFollower] { references.compactMap(\.follower) }

    mutating func add(_ follower: any ResultsFollower) {
        references.removeAll { $0.follower == nil }
        references.append(Reference(follower: follower))
    }

    mutating func removeGone() { references.removeAll { $0.follower == nil } }
}
