import AnabranchModel
public import AnabranchReplication

// Access behind the accessors, for hooks and for accessors that a class writes itself:
//
//     var name: String {
//         get {
//             willAccessValue(forKey: "name")
//             defer { didAccessValue(forKey: "name") }
//             return primitiveValue(forKey: "name") ?? "nobody"
//         }
//         set {
//             willChangeValue(forKey: "name")
//             defer { didChangeValue(forKey: "name") }
//             setPrimitiveValue(newValue, forKey: "name")
//         }
//     }
//
// `self[slot: n]` does the same in a hundredth of the time. Accessors can't throw, so none of
// these does: what is wrong is thrown by the context's next save.
extension ManagedObject {
    /// An attribute's value as the object holds it, without firing a fault, of which it is null.
    public final func primitiveValue(forKey key: String) -> Value {
        attempt(or: .null) {
            let slot = try attribute(named: key).slot
            return isFault ? .null : slots[slot]
        }
    }

    /// As ``primitiveValue(forKey:)-(String)``, as a type.
    ///
    /// - Returns: `nil` where there is no value, or the type can't hold it.
    public final func primitiveValue<T: AttributeValue>(
        forKey key: String, as type: T.Type = T.self
    ) -> T? {
        T.reading(primitiveValue(forKey: key))
    }

    /// Sets an attribute without any notice.
    ///
    /// The object does not become changed, ``changedValues()`` leaves the attribute out, and no
    /// event and no further `willSave` follows. What is set so is saved with the object's other
    /// changes, at once where it has any or in `willSave`, else together with the next one; it is
    /// gone when the object is rolled back or refreshed. In ``awakeFromFetch()`` and
    /// ``awake(fromSnapshotEvents:)`` every accessor of the object sets its attributes so. Between
    /// ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)`` of the same key it is a change
    /// like any other.
    ///
    /// - Parameter value: Brought to the attribute's type where nothing is lost by it.
    public final func setPrimitiveValue(_ value: Value, forKey key: String) {
        attempt(or: ()) {
            let attribute = try attribute(named: key)
            let fitting = try fitting(value, attribute)
            try realiseToWrite(attribute.slot)
            writePrimitive(fitting, to: attribute.slot)
        }
    }

    /// As ``setPrimitiveValue(_:forKey:)-(Value,_)``.
    public final func setPrimitiveValue(_ value: some AttributeValue, forKey key: String) {
        do throws(AttributeValueError) {
            setPrimitiveValue(try value.attributeValue, forKey: key)
        } catch {
            keep(refusal(error, of: key))
        }
    }

    /// Fires the fault, so that ``primitiveValue(forKey:)-(String)`` has the value, and lets
    /// whoever observes the property know of its next change.
    public final func willAccessValue(forKey key: String) {
        attempt(or: ()) {
            let slot = try property(named: key).slot
            if isFault { realise() }
            noteAccess(slot)
        }
    }

    /// Ends what ``willAccessValue(forKey:)`` has begun.
    public final func didAccessValue(forKey key: String) {}

    /// Makes the object changed, and what ``setPrimitiveValue(_:forKey:)-(Value,_)`` sets next a
    /// change of this attribute. Relationships are changed by their own accessors only, which keep
    /// both ends in step.
    public final func willChangeValue(forKey key: String) {
        attempt(or: ()) {
            let slot = try attribute(named: key).slot
            let context = try context(for: key)
            try realiseToWrite(slot)
            context.noteWrite(self, slot)
            noteChange(slot)
            context.primitives.announce(self, slot)
        }
    }

    /// Ends what ``willChangeValue(forKey:)`` has begun.
    public final func didChangeValue(forKey key: String) {
        guard let slot = entity.slotIndex(named: key) else { return }
        managedObjectContext?.primitives.endAnnouncement(self, slot)
    }

    private final func attempt<Result>(or fallback: Result, _ body: () throws -> Result) -> Result {
        do {
            return try body()
        } catch {
            keep(error)
            return fallback
        }
    }

    private final func writePrimitive(_ value: Value, to slot: Int) {
        guard let context = managedObjectContext else { return }
        defer { slots[slot] = value }
        if context.primitives.isAnnounced(self, slot) { return noteWritten(slot) }
        if !home.plan.isStored[slot], !flags.contains(.inserted), !committed.isEmpty {
            committed[slot] = value
        }
        context.notePrimitive(self, slot)
    }
}

extension ManagedObjectContext {
    /// What is written to a slot next is saved, and no change.
    func notePrimitive(_ object: ManagedObject, _ slot: Int) {
        if object.flags.contains(.inserted) { return object.noteWritten(slot) }
        guard object.home.plan.isStored[slot] else { return }
        if object.committed.isEmpty { object.committed = SlotStorage(copying: object.slots) }
        if !object.isChangedSinceCommit(slot) { primitives.insert(object, slot) }
        object.flags.subtract(.writable)
        object.noteWritten(slot)
    }
}
