import AnabranchReplication

// The accessors of generated and hand-written properties. Inlinable, so that a property of a
// known type is one flag test, one array access and one enum case.
extension ManagedObject {
    /// The attribute in a slot.
    ///
    /// Reading fires a fault. Where the row is gone the object becomes deleted, and where the
    /// store can't be read the error is thrown by the context's next save; both read as the
    /// type's absent value. A value of another type than the attribute's is refused by the save.
    ///
    /// A value that no attribute holds as it is, such as a decimal of 39 digits, is not set: the
    /// property stays as it was, and the context's next save throws a ``PropertyError``.
    @inlinable
    public final subscript<T: AttributeValue>(slot slot: Int) -> T {
        get {
            assert(isOnItsQueue, "A managed object was read outside its context's queue.")
            if !flags.contains(.realised) { realise() }
            return T.reading(slots[slot]) ?? T.absent
        }
        set {
            assert(isOnItsQueue, "A managed object was written outside its context's queue.")
            let value: Value
            do {
                value = try newValue.attributeValue
            } catch {
                return refuse(error, at: slot)
            }
            if !flags.contains(.writable) { prepareToWrite() }
            writtenSlots |= 1 << UInt64(min(slot, 63))
            slots[slot] = value
        }
    }

    /// The object at the other end of the to-one relationship in a slot.
    ///
    /// Setting it changes the inverse at the same time.
    public final subscript<T: ManagedObject>(toOne slot: Int) -> T? {
        get {
            assert(isOnItsQueue, "A managed object was read outside its context's queue.")
            guard let relationship = entity.slots[slot].relationship else { return nil }
            return managedObjectContext?.target(of: self, by: relationship) as? T
        }
        set {
            assert(isOnItsQueue, "A managed object was written outside its context's queue.")
            guard let relationship = entity.slots[slot].relationship else { return }
            managedObjectContext?.setTargetKeepingError(of: self, by: relationship, to: newValue)
        }
    }

    /// The objects at the other end of the to-many relationship in a slot.
    public final subscript<T: ManagedObject>(toMany slot: Int) -> ManagedObjectSet<T> {
        ManagedObjectSet(owner: self, slot: slot)
    }
}

extension ManagedObject {
    @usableFromInline
    final func refuse(_ error: AttributeValueError, at slot: Int) {
        managedObjectContext?.keep(refusal(error, of: entity.slots[slot].name))
    }

    final func refusal(_ error: AttributeValueError, of key: String) -> PropertyError {
        PropertyError(
            .unrepresentable,
            "Can't set \(entity.name).\(key) to \(error.value) because \(error.cause).",
            property: key, objectID: objectID)
    }

    /// Afterwards there is a value in every slot.
    @usableFromInline
    final func realise() {
        if flags.contains(.hasRow), !flags.contains(.detached), home.context != nil {
            flags.insert(.realised)
            return awakeFromFetch()
        }
        guard let context = managedObjectContext else { return fillSlots() }
        do {
            try context.realise(self)
        } catch {
            context.keep(error)
            fillSlots()
        }
    }

    /// - Throws: ``StoreError`` where the row can't be read, ``PropertyError`` where it is gone.
    final func realiseOrThrow() throws {
        guard !flags.contains(.realised) else { return }
        guard let context = managedObjectContext else {
            throw PropertyError(
                .inaccessible,
                "Can't read \(objectID) because its context was reset or is gone; fetch it anew.",
                objectID: objectID)
        }
        try context.realise(self)
        if flags.contains(.detached) {
            throw PropertyError(
                .inaccessible, "Can't read \(objectID) because it was deleted.",
                objectID: objectID)
        }
    }

    /// Makes sure that a write to a slot is noticed.
    @usableFromInline
    final func prepareToWrite() {
        if !flags.contains(.realised) { realise() }
        guard flags.contains(.realised) else { return }
        managedObjectContext?.noteWrite(self)
    }

    final func isWritten(_ slot: Int) -> Bool { writtenSlots & 1 << UInt64(min(slot, 63)) != 0 }

    /// Writes a slot of a realised object.
    final func write(_ value: Value, to slot: Int) {
        if !flags.contains(.writable) { prepareToWrite() }
        writtenSlots |= 1 << UInt64(min(slot, 63))
        slots[slot] = value
    }

    /// What an object without a row has: nothing, in every slot.
    final func fillSlots() {
        if slots.count != entity.slots.count {
            slots = SlotStorage(copying: Array(repeating: .null, count: entity.slots.count))
        }
    }
}
