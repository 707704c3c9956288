/// What an object is going through.
@usableFromInline
struct ObjectFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @inlinable
    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The slots may be read: the object is not a fault.
    @usableFromInline static let realised = ObjectFlags(rawValue: 1)
    /// A write needs nothing but the slot: the object is realised, its committed slots are kept,
    /// and it is noted for the present event.
    @usableFromInline static let writable = ObjectFlags(rawValue: 1 << 1)
    /// The slots hold the row as the store had it, though the object may still be a fault.
    static let hasRow = ObjectFlags(rawValue: 1 << 2)
    static let inserted = ObjectFlags(rawValue: 1 << 3)
    static let updated = ObjectFlags(rawValue: 1 << 4)
    static let deleted = ObjectFlags(rawValue: 1 << 5)
    /// Noted for the present event.
    static let noted = ObjectFlags(rawValue: 1 << 6)
    /// Inserted in the present event.
    static let born = ObjectFlags(rawValue: 1 << 7)
    /// On the context's list of changed objects.
    static let listed = ObjectFlags(rawValue: 1 << 8)
    /// The context does not know the object any more.
    static let detached = ObjectFlags(rawValue: 1 << 9)
    /// The committed slots are not what the store has: a rollback makes the object a fault.
    static let refault = ObjectFlags(rawValue: 1 << 10)
    /// Written in the event that observers are being told of.
    static let announced = ObjectFlags(rawValue: 1 << 12)
    /// Inserted in the event that observers are being told of.
    static let announcedBirth = ObjectFlags(rawValue: 1 << 13)

    /// The object is becoming a fault, or ceasing to be one.
    static let inTransition = ObjectFlags(rawValue: 1 << 11)
    /// A hook runs in which setting an attribute is no change.
    static let waking = ObjectFlags(rawValue: 1 << 14)
    /// Reads and writes are told to whoever observes the object; it is never `writable`.
    @usableFromInline static let observed = ObjectFlags(rawValue: 1 << 15)

    /// A read needs nothing but the slot: the object is realised, and nobody wants to be told.
    @inlinable
    var isReadable: Bool { rawValue & (1 << 15 | 1) == 1 }

    /// The same flags of an object whose reads and writes are told.
    var observed: ObjectFlags { subtracting(.writable).union(.observed) }

    static let changes: ObjectFlags = [.inserted, .updated, .deleted]
}

// Asked at every access to an object, where the general forms of `OptionSet` are calls.
extension ObjectFlags {
    @inlinable
    func contains(_ flags: ObjectFlags) -> Bool { rawValue & flags.rawValue == flags.rawValue }

    @inlinable
    func isDisjoint(with flags: ObjectFlags) -> Bool { rawValue & flags.rawValue == 0 }

    @inlinable
    mutating func formUnion(_ flags: ObjectFlags) {
        self = ObjectFlags(rawValue: rawValue | flags.rawValue)
    }

    @inlinable
    mutating func subtract(_ flags: ObjectFlags) {
        self = ObjectFlags(rawValue: rawValue & ~flags.rawValue)
    }
}
