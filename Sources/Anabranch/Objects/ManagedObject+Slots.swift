import AnabranchReplication

// The accessors of generated and hand-written properties. They are inlinable, so that a property
// of a known type costs one flag test, one array access and one enum case.
extension ManagedObject {
    /// The attribute in a slot.
    ///
    /// Reading fires a fault. If the row is gone, the object becomes deleted. If the store can't
    /// be read, the context's next save throws the error. Both cases read as the type's `absent`
    /// value. The save refuses a value of another type than the attribute's.
    ///
    /// A value that the type has no counterpart of, such as a case that a newer version has added,
    /// also reads as `absent`. The context's `accessErrors()` report it with the code
    /// `unknownValue`, no save throws it, and the value stays until the property is set.
    ///
    /// A value that no attribute can store exactly, such as a decimal of 39 digits, is not set:
    /// the property keeps its value, and the context's next save throws a ``PropertyError``. The
    /// same happens for an object that is deleted in the store, that left the context because its
    /// insertion was undone, or that the context has forgotten by a reset.
    ///
    /// If the context is gone, no save is left that could throw: the property keeps its value, and
    /// ``PersistentStoreCoordinator/pendingErrors`` lists the error.
    /// ``ManagedObject/setValue(_:forKey:)-(PropertyValue,_)`` throws in all these cases.
    @inlinable
    public final subscript<T: AttributeValue>(slot slot: Int) -> T {
        get {
            assert(isOnItsQueue, misuse("read"))
            if !flags.isReadable { prepareToRead(slot) }
            if let value = T.reading(slots[slot]) { return value }
            if !slots[slot].isNull { reportUnknownValue(in: slot, T.self) }
            return T.absent
        }
        set {
            assert(isOnItsQueue, misuse("written"))
            let value: PropertyValue
            do {
                value = try newValue.attributeValue
            } catch {
                return refuse(error, at: slot)
            }
            if !flags.isWritable, !prepareToWrite(slot) { return }
            writtenSlots |= 1 << UInt64(min(slot, 63))
            slots[slot] = value
        }
    }

    /// The object at the other end of the to-one relationship in a slot.
    ///
    /// Setting it updates the inverse at the same time. Errors are reported in the same way as by
    /// ``subscript(slot:)``.
    public final subscript<T: ManagedObject>(toOne slot: Int) -> T? {
        get {
            assert(isOnItsQueue, misuse("read"))
            if let probe = home.probe { return probe.target(of: self, slot) }
            reportAccess(slot)
            guard let relationship = entity.slots[slot].relationship else { return nil }
            return managedObjectContext?.target(of: self, by: relationship) as? T
        }
        set {
            assert(isOnItsQueue, misuse("written"))
            guard let relationship = entity.slots[slot].relationship else { return }
            guard let context = managedObjectContext else { return refuseChange(of: slot) }
            context.setTargetKeepingError(of: self, by: relationship, to: newValue)
        }
    }

    /// The objects at the other end of the to-many relationship in a slot, as a live view.
    public final subscript<T: ManagedObject>(toMany slot: Int) -> ManagedObjectSet<T> {
        ManagedObjectSet(owner: self, slot: slot)
    }

    /// The objects at the other end of the ordered to-many relationship in a slot in their order,
    /// as a live view.
    public final subscript<T: ManagedObject>(list slot: Int) -> ManagedObjectList<T> {
        ManagedObjectList(owner: self, slot: slot)
    }
}

extension ManagedObject {
    @usableFromInline
    final func refuse(_ error: AttributeValueError, at slot: Int) {
        keep(refusal(error, of: entity.slots[slot].name))
    }

    /// Reports that the type of a property has no counterpart of its value.
    @usableFromInline
    final func reportUnknownValue(in slot: Int, _ type: Any.Type) {
        guard let context = managedObjectContext else { return }
        context.report(unknownValue(slots[slot], of: entity.slots[slot].name, type))
    }

    final func unknownValue(_ value: PropertyValue, of key: String, _ type: Any.Type)
        -> PropertyError
    {
        PropertyError(
            .unknownValue,
            "Can't read \(entity.name).\(key) as \(type) because it has no counterpart of "
                + "\(value), which another version of the app may have saved; the value stays as "
                + "it is until the property is set.",
            property: key, objectID: objectID)
    }

    final func refusal(_ error: AttributeValueError, of key: String) -> PropertyError {
        PropertyError(
            .unrepresentable,
            "Can't set \(entity.name).\(key) to \(error.value) because \(error.cause).",
            property: key, objectID: objectID)
    }

    /// Reports that the object can't be changed any more.
    final func refuseChange(of slot: Int) { keep(inaccessible(slot)) }

    /// Keeps an error that a setter can't throw for the context's next save, even if the object
    /// has left the context; see ``PersistentStoreCoordinator/pendingErrors`` if that is gone.
    final func keep(_ error: any Error) { home.keep(error) }

    private final func inaccessible(_ slot: Int) -> PropertyError {
        let key = entity.slots[slot].name
        return PropertyError(
            .inaccessible, "Can't set \(key) of \(objectID) because \(obstacle).", property: key,
            objectID: objectID)
    }

    /// The reason why a change of an object without a context can't be saved.
    private final var obstacle: String {
        guard let context = home.context else {
            return "its context was reset or is gone; fetch the object again"
        }
        if home.origin !== context.coordinator.origin { return "it belongs to another store" }
        return flags.contains(.deleted)
            ? "it was deleted in the store" : "it was deleted, or its insertion was undone"
    }

    /// Fires the fault if necessary and records the read for observers. Every slot has a value
    /// afterwards.
    @usableFromInline
    final func prepareToRead(_ slot: Int) {
        if !flags.contains(.isFired) { fireFault() }
        reportAccess(slot)
    }

    /// Fires the fault. Every slot has a value afterwards.
    @usableFromInline
    final func fireFault() {
        var hasWoken = false
        if flags.contains(.hasRow), !flags.contains(.detached), home.hasContext {
            wake()
            if flags.contains(.isFired) { return }
            hasWoken = true
        }
        // A hook can also make the context forget the object.
        defer { fillSlots() }
        guard let context = managedObjectContext else { return }
        do {
            if hasWoken, try isRealisedSilently(in: context) { return }
            try context.fireFault(self)
        } catch {
            context.keep(error)
        }
    }

    /// Fires the fault.
    ///
    /// - Throws: `StoreError` if the row can't be read; ``PropertyError`` if it is gone.
    final func fireFaultOrThrow() throws {
        guard !flags.contains(.isFired) else { return }
        guard let context = managedObjectContext else {
            throw PropertyError(
                .inaccessible,
                "Can't read \(objectID) because its context was reset or is gone; fetch it again.",
                objectID: objectID)
        }
        try context.fireFault(self)
        if flags.contains(.detached) || slots.isEmpty {
            let cause = home.hasContext ? "it was deleted" : "its context was reset"
            throw PropertyError(
                .inaccessible, "Can't read \(objectID) because \(cause).", objectID: objectID)
        }
    }

    /// Makes sure that the context records a write to a slot.
    ///
    /// - Returns: True if the object can be written. If not, the context keeps the reason for its
    ///   next save.
    @usableFromInline
    final func prepareToWrite(_ slot: Int) -> Bool {
        if let refusal = derivedRefusal(slot) {
            keep(refusal)
            return false
        }
        // An observer can turn the object into a fault.
        reportChange(slot)
        if flags.contains(.writable) { return true }
        if flags.contains(.isFired), !flags.contains(.detached), home.hasContext {
            home.withContext { $0.recordWrite(self, slot) }
            return true
        }
        do {
            try fireFaultToWrite(slot)
        } catch {
            keep(error)
            return false
        }
        managedObjectContext?.recordWrite(self, slot)
        return true
    }

    /// Returns the error for a write to a derived attribute; `nil` for any other slot.
    @inline(__always)
    private final func derivedRefusal(_ slot: Int) -> PropertyError? {
        home.plan.derivedSlots.isEmpty ? nil : refusalAmongDerived(slot)
    }

    @inline(never)
    private final func refusalAmongDerived(_ slot: Int) -> PropertyError? {
        guard home.plan.derivedSlots.contains(slot), let attribute = entity.slots[slot].attribute
        else { return nil }
        return PropertyError(
            .derived,
            "Can't set \(entity.name).\(attribute.name) because it is derived from "
                + "'\(attribute.derivationExpression ?? "")'; change "
                + "the properties in that expression.",
            property: attribute.name, objectID: objectID)
    }

    /// Fires the fault before a write.
    ///
    /// - Throws: `StoreError` if the row can't be read; ``PropertyError`` if the object can't be
    ///   changed any more or the attribute is derived.
    final func fireFaultToWrite(_ slot: Int) throws {
        if let refusal = derivedRefusal(slot) { throw refusal }
        guard let context = managedObjectContext else { throw inaccessible(slot) }
        if flags.contains(.isFired) { return }
        try context.fireFault(self)
        if flags.contains(.detached) || slots.isEmpty { throw inaccessible(slot) }
    }

    final func isWritten(_ slot: Int) -> Bool { writtenSlots & 1 << UInt64(min(slot, 63)) != 0 }

    /// Calls a closure with each written slot in ascending order. The slots from 63 on share one
    /// bit and are reported together.
    @inline(__always)
    final func forEachWrittenSlot(_ body: (Int) -> Void) {
        var written = writtenSlots
        while written != 0 {
            let slot = written.trailingZeroBitCount
            written &= written &- 1
            if slot < 63 { body(slot) } else { (63..<slots.count).forEach(body) }
        }
    }

    final func recordWrite(_ slot: Int) { writtenSlots |= 1 << UInt64(min(slot, 63)) }

    /// Writes a slot of an object that is not a fault. If an observer empties the object
    /// meanwhile, the context's next save throws an error.
    final func write(_ value: PropertyValue, to slot: Int) {
        reportChange(slot)
        if slots.isEmpty { return refuseChange(of: slot) }
        if !flags.contains(.writable) { managedObjectContext?.recordWrite(self, slot) }
        recordWrite(slot)
        slots[slot] = value
    }

    /// Gives every slot of an object without a row the value null.
    final func fillSlots() {
        if slots.count != entity.slots.count {
            slots = SlotStorage(copying: Array(repeating: .null, count: entity.slots.count))
        }
    }
}
