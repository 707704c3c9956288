public import Observation

/// Observation of single properties by `withObservationTracking`.
///
/// In a context that is ``ManagedObjectContext/isObservable``, which is the default on the main
/// queue, reading a property within `withObservationTracking` registers it. The next change of the
/// property is then reported, whatever causes it: the app's code, a merge, a refresh, an undo or a
/// rollback.
extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// True if reads of the objects' properties within `withObservationTracking` are registered.
    /// The default is true for a context of the main queue.
    ///
    /// Observation makes a read about ten times as slow, which is a few dozen nanoseconds. Setting
    /// this property visits every registered object; earlier registrations get no more reports.
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
    /// Registers the read of a property with the observation.
    @usableFromInline
    final func reportAccess(_ slot: Int) {
        guard flags.contains(.observed) else { return }
        if let probe = home.probe { return probe.read(slot, of: self) }
        home.withContext { context in
            context.observation?.reportAccess(slot, of: localID) { context.registry.hasPage($0) }
        }
    }

    /// Reports a change of a property to its observers.
    final func reportChange(_ slot: Int) {
        expireKeys()
        guard flags.contains(.observed) else { return }
        home.withContext { $0.observation?.reportChange(slot, of: localID) }
    }

    /// Reports the properties that are about to get other values to their observers.
    final func reportChanges(to values: borrowing SlotStorage) {
        expireKeys()
        guard flags.contains(.observed) else { return }
        for slot in 0..<min(values.count, slots.count) where values[slot] != slots[slot] {
            reportChange(slot)
        }
    }

    /// Reports a change of all properties to their observers.
    final func reportChanges() {
        expireKeys()
        guard flags.contains(.observed) else { return }
        home.withContext { context in
            context.observation?.reportChanges(of: localID, slots: 0..<entity.slots.count)
        }
    }
}
