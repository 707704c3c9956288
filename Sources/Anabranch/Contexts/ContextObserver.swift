import AnabranchStore

/// An object that tracks the changes of a context on the context's queue.
protocol ContextObserver: AnyObject {
    /// Called when an event is over, or when changes of another context or replica were merged.
    func contextDidChange(_ event: EventChanges)
    /// Called when pending changes were saved and are no longer pending.
    func contextDidSave()
    /// Called when the context has forgotten every object.
    func contextWasReset()
}

/// A context's followers, by weak references.
struct ResultsFollowers {
    private struct Reference {
        weak var follower: (any ContextObserver)?
    }

    private var references: [Reference] = []

    var isEmpty: Bool { references.isEmpty }
    var all: [any ContextObserver] { references.compactMap(\.follower) }

    mutating func add(_ follower: any ContextObserver) {
        references.removeAll { $0.follower == nil }
        references.append(Reference(follower: follower))
    }

    mutating func removeGone() { references.removeAll { $0.follower == nil } }
}
