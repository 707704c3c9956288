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
    /// property stays as it was, and the context's next save throws a ``PropertyError``. So it
    /// does for an object that is deleted in the store, or whose insertion was taken back: it
    /// takes no value any more.
    ///
    /// An object of a context that is gone or was reset has nobody left to tell: debug builds
    /// stop there with the names of object and property, release builds leave the property as it
    /// was. ``ManagedObject/setValue(_:forKey:)-(Value,_)`` throws in all these cases.
    @inlinable
    public final subscript<T: AttributeValue>(slot slot: Int) -> T {
        get {
            assert(isOnItsQueue, misuse("read"))
            if !flags.isReadable { prepareToRead(slot) }
            return T.reading(slots[slot]) ?? T.absent
        }
        set {
            assert(isOnItsQueue, misuse("written"))
            let value: Value
            do {
                value = try newValue.attributeValue
            } catch {
                return refuse(error, at: slot)
            }
            if !flags.contains(.writable), !prepareToWrite(slot) { return }
            writtenSlots |= 1 << UInt64(min(slot, 63))
            slots[slot] = value
        }
    }

    /// The object at the other end of the to-one relationship in a slot.
    ///
    /// Setting it changes the inverse at the same time. An object that takes no value any more
    /// tells so as ``subscript(slot:)`` does.
    public final subscript<T: ManagedObject>(toOne slot: Int) -> T? {
        get {
            assert(isOnItsQueue, misuse("read"))
            noteAccess(slot)
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

    /// The objects at the other end of the to-many relationship in a slot.
    public final subscript<T: ManagedObject>(toMany slot: Int) -> ManagedObjectSet<T> {
        ManagedObjectSet(owner: self, slot: slot)
    }

    /// The objects at the other end of the ordered to-many relationship in a slot, in their order.
    public final subscript<T: ManagedObject>(list slot: Int) -> ManagedObjectList<T> {
        ManagedObjectList(owner: self, slot: slot)
    }
}

extension ManagedObject {
    @usableFromInline
    final func refuse(_ error: AttributeValueError, at slot: Int) {
        keep(refusal(error, of: entity.slots[slot].name))
    }

    final func refusal(_ error: AttributeValueError, of key: String) -> PropertyError {
        PropertyError(
            .unrepresentable,
            "Can't set \(entity.name).\(key) to \(error.value) because \(error.cause).",
            property: key, objectID: objectID)
    }

    /// The object takes no change any more: its context tells so, where there is one.
    final func refuseChange(of slot: Int) { keep(inaccessible(slot)) }

    /// Keeps what a setter can't throw, also for an object that the context has let go of.
    final func keep(_ error: any Error) {
        guard let context = home.context else { return assertionFailure("\(error)") }
        context.keep(error)
    }

    private final func inaccessible(_ slot: Int) -> PropertyError {
        let key = entity.slots[slot].name
        return PropertyError(
            .inaccessible, "Can't set \(key) of \(objectID) because \(obstacle).", property: key,
            objectID: objectID)
    }

    /// Why nothing of an object without a context can be saved any more.
    private final var obstacle: String {
        guard let context = home.context else {
            return "its context was reset or is gone; fetch the object anew"
        }
        if home.origin !== context.coordinator.origin { return "it is of another store" }
        return flags.contains(.deleted)
            ? "somebody else has deleted it" : "it was deleted, or its insertion was taken back"
    }

    /// Afterwards there is a value in every slot, and observers know who has read this one.
    @usableFromInline
    final func prepareToRead(_ slot: Int) {
        if !flags.contains(.realised) { realise() }
        noteAccess(slot)
    }

    /// Afterwards there is a value in every slot.
    @usableFromInline
    final func realise() {
        var hasWoken = false
        if flags.contains(.hasRow), !flags.contains(.detached), home.hasContext {
            wake()
            if flags.contains(.realised) { return }
            hasWoken = true
        }
        // Hooks may also have the context forget the object.
        defer { fillSlots() }
        guard let context = managedObjectContext else { return }
        do {
            if hasWoken, try isRealisedSilently(in: context) { return }
            try context.realise(self)
        } catch {
            context.keep(error)
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
        if flags.contains(.detached) || slots.isEmpty {
            let cause = home.hasContext ? "it was deleted" : "its context was reset"
            throw PropertyError(
                .inaccessible, "Can't read \(objectID) because \(cause).", objectID: objectID)
        }
    }

    /// Makes sure that a write to a slot is noticed.
    ///
    /// - Returns: Whether there is anything to write to; if not, the context has been told why.
    @usableFromInline
    final func prepareToWrite(_ slot: Int) -> Bool {
        if let refusal = derivedRefusal(slot) {
            keep(refusal)
            return false
        }
        // Whoever is told may make it a fault.
        noteChange(slot)
        if flags.contains(.realised), !flags.contains(.detached), home.hasContext {
            home.withContext { $0.noteWrite(self, slot) }
            return true
        }
        do {
            try realiseToWrite(slot)
        } catch {
            keep(error)
            return false
        }
        managedObjectContext?.noteWrite(self, slot)
        return true
    }

    /// Why a slot is not written, where its attribute is derived.
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
                + "'\(attribute.derivationExpression ?? "")'; change that.",
            property: attribute.name, objectID: objectID)
    }

    /// - Throws: ``StoreError`` where the row can't be read, ``PropertyError`` where the object
    ///   takes no value any more, or the attribute is derived.
    final func realiseToWrite(_ slot: Int) throws {
        if let refusal = derivedRefusal(slot) { throw refusal }
        guard let context = managedObjectContext else { throw inaccessible(slot) }
        if flags.contains(.realised) { return }
        try context.realise(self)
        if flags.contains(.detached) || slots.isEmpty { throw inaccessible(slot) }
    }

    final func isWritten(_ slot: Int) -> Bool { writtenSlots & 1 << UInt64(min(slot, 63)) != 0 }

    /// Ascending. Slots from 63 on come where one of them was written.
    @inline(__always)
    final func forEachWrittenSlot(_ body: (Int) -> Void) {
        var written = writtenSlots
        while written != 0 {
            let slot = written.trailingZeroBitCount
            written &= written &- 1
            if slot < 63 { body(slot) } else { (63..<slots.count).forEach(body) }
        }
    }

    final func noteWritten(_ slot: Int) { writtenSlots |= 1 << UInt64(min(slot, 63)) }

    /// Writes a slot of a realised object; where those who are told of it empty the object, the
    /// context's next save says so.
    final func write(_ value: Value, to slot: Int) {
        noteChange(slot)
        if slots.isEmpty { return refuseChange(of: slot) }
        if !flags.contains(.writable) { managedObjectContext?.noteWrite(self, slot) }
        noteWritten(slot)
        slots[slot] = value
    }

    /// What an object without a row has: nothing, in every slot.
    final func fillSlots() {
        if slots.count != entity.slots.count {
            slots = SlotStorage(copying: Array(repeating: .null, count: entity.slots.count))
        }
    }
}
