import AnabranchModel
public import AnabranchReplication

// Access beneath the accessors, for hooks and for accessors that a class implements itself:
//
//     var name: String {
//         get {
//             willAccessValue(forKey: "name")
//             defer { didAccessValue(forKey: "name") }
//             return primitiveValue(forKey: "name") ?? "unnamed"
//         }
//         set {
//             willChangeValue(forKey: "name")
//             defer { didChangeValue(forKey: "name") }
//             setPrimitiveValue(newValue, forKey: "name")
//         }
//     }
//
// `self[slot: n]` does the same in a hundredth of the time. Accessors can't throw, and so none of
// these methods does: the context's next save throws their errors.
extension ManagedObject {
    /// Returns an attribute's value without firing a fault; the value of a fault is null.
    public final func primitiveValue(forKey key: String) -> PropertyValue {
        attempt(or: .null) {
            let slot = try attribute(named: key).slot
            return isFault ? .null : slots[slot]
        }
    }

    /// Returns an attribute's value as a Swift type, without firing a fault.
    ///
    /// - Returns: `nil` if there is no value, or if the type can't hold it.
    public final func primitiveValue<T: AttributeValue>(
        forKey key: String, as type: T.Type = T.self
    ) -> T? {
        T.reading(primitiveValue(forKey: key))
    }

    /// Sets an attribute without marking the object as changed.
    ///
    /// The object does not become changed, ``changedValues()`` leaves the attribute out, and no
    /// event and no further `willSave` follows. The value is saved together with other changes of
    /// the object: at once if it has any or in `willSave`, otherwise with the next change. A
    /// rollback or a refresh of the object discards it.
    ///
    /// In ``awakeFromFetch()`` and ``awake(fromSnapshotEvents:)`` every accessor of the object
    /// sets its attributes in this way. Between ``willChangeValue(forKey:)`` and
    /// ``didChangeValue(forKey:)`` of the same key, the call is an ordinary change.
    ///
    /// - Parameters:
    ///   - value: The new value. It is converted to the attribute's type if that loses nothing.
    ///   - key: The name of the attribute.
    public final func setPrimitiveValue(_ value: PropertyValue, forKey key: String) {
        attempt(or: ()) {
            let attribute = try attribute(named: key)
            let fitting = try fitting(value, attribute)
            try fireFaultToWrite(attribute.slot)
            writePrimitive(fitting, to: attribute.slot)
        }
    }

    /// Sets an attribute to a value of a Swift type without marking the object as changed; see
    /// ``setPrimitiveValue(_:forKey:)-(PropertyValue,_)``.
    public final func setPrimitiveValue(_ value: some AttributeValue, forKey key: String) {
        do throws(AttributeValueError) {
            setPrimitiveValue(try value.attributeValue, forKey: key)
        } catch {
            keep(refusal(error, of: key))
        }
    }

    /// Fires the fault, so that ``primitiveValue(forKey:)-(String)`` has the value, and registers
    /// the access with an observation that is being tracked.
    public final func willAccessValue(forKey key: String) {
        attempt(or: ()) {
            let slot = try property(named: key).slot
            if isFault { fireFault() }
            reportAccess(slot)
        }
    }

    /// Ends the access that ``willAccessValue(forKey:)`` began.
    public final func didAccessValue(forKey key: String) {}

    /// Marks the object as changed, and makes the next
    /// ``setPrimitiveValue(_:forKey:)-(PropertyValue,_)`` of this attribute an ordinary change. It
    /// is for attributes only: change a relationship by its own accessor, which keeps both ends
    /// consistent.
    public final func willChangeValue(forKey key: String) {
        attempt(or: ()) {
            let slot = try attribute(named: key).slot
            let context = try context(for: key)
            try fireFaultToWrite(slot)
            context.recordWrite(self, slot)
            reportChange(slot)
            context.primitives.announce(self, slot)
        }
    }

    /// Ends the change that ``willChangeValue(forKey:)`` began.
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

    private final func writePrimitive(_ value: PropertyValue, to slot: Int) {
        guard let context = managedObjectContext else { return refuseChange(of: slot) }
        expireKeys()
        defer { slots[slot] = value }
        if context.primitives.isAnnounced(self, slot) { return recordWrite(slot) }
        if !home.plan.isStored[slot], !flags.contains(.inserted), !committed.isEmpty {
            committed[slot] = value
        }
        context.recordPrimitive(self, slot)
    }
}

extension ManagedObjectContext {
    /// Records that the next write to a slot is saved but does not count as a change.
    func recordPrimitive(_ object: ManagedObject, _ slot: Int) {
        if object.flags.contains(.inserted) { return object.recordWrite(slot) }
        guard object.home.plan.isStored[slot] else { return }
        if object.committed.isEmpty { object.committed = SlotStorage(copying: object.slots) }
        if !object.isChangedSinceCommit(slot) { primitives.insert(object, slot) }
        object.flags.subtract(.writable)
        object.recordWrite(slot)
    }
}
