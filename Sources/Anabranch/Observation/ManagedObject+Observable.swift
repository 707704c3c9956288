public import Observation

/// Reading a property within `withObservationTracking` is noticed in contexts that are
/// ``ManagedObjectContext/isObservable``, as the main queue's is, and its next change is told,
/// whichever way it comes: by the app's code, a merge, a refresh, an undo or a rollback.
extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// Whether reading properties of the objects within `withObservationTracking` is noticed; at
    /// first of a context of the main queue.
    ///
    /// It makes a read some ten times as slow as it is without, which is a few dozen nanoseconds.
    /// Setting it looks at every registered object; observers are told nothing more.
    public var isObservable: Bool {
        get { observation != nil }
        set {
            checkQueue()
            guard newValue != isObservable else { return }
            observation = newValue ? ObjectObservation() : nil
            for home in homesInUse { home.isObserved = newValue }
            registry.forEach { object in
                if newValue {
                    object.flags.subtract(.writable)
                    object.flags.formUnion(.observed)
                } else {
                    object.flags.subtract(.observed)
                }
            }
        }
    }
}

extension ManagedObject {
    /// Whoever reads a property wants to know when it changes.
    @usableFromInline
    final func noteAccess(_ slot: Int) {
        guard flags.contains(.observed) else { return }
        home.withContext { context in
            context.observation?.noteAccess(slot, of: localID) { context.registry.hasPage($0) }
        }
    }

    /// Observers of a property are to read it again.
    final func noteChange(_ slot: Int) {
        guard flags.contains(.observed) else { return }
        home.withContext { $0.observation?.noteChange(slot, of: localID) }
    }

    /// Observers of properties that are about to get other values are to read them again.
    final func noteChanges(to values: borrowing SlotStorage) {
        guard flags.contains(.observed) else { return }
        for slot in 0..<min(values.count, slots.count) where values[slot] != slots[slot] {
            noteChange(slot)
        }
    }

    /// Observers of any property are to read it again.
    final func noteChanges() {
        guard flags.contains(.observed) else { return }
        home.withContext { context in
            context.observation?.noteChanges(of: localID, slots: 0..<entity.slots.count)
        }
    }
}
