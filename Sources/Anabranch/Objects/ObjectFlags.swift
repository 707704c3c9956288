/// The state of an object in its context.
@usableFromInline
struct ObjectFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt32

    @inlinable
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The slots can be read: the object is not a fault.
    @usableFromInline static let isFired = ObjectFlags(rawValue: 1)
    /// The object is not a fault, its committed values are kept, and it is recorded as changed in
    /// the present event; see `isWritable`.
    @usableFromInline static let writable = ObjectFlags(rawValue: 1 << 1)
    /// The slots are filled: with a row of the store, or with the values of a new object. Until
    /// `isFired` is set too, the object counts as a fault.
    static let hasRow = ObjectFlags(rawValue: 1 << 2)
    /// Inserted since the last save.
    static let inserted = ObjectFlags(rawValue: 1 << 3)
    /// Updated since the last save.
    static let updated = ObjectFlags(rawValue: 1 << 4)
    /// Deleted since the last save, or found to be deleted in the store.
    static let deleted = ObjectFlags(rawValue: 1 << 5)
    /// Recorded as changed in the present event.
    static let recordedInEvent = ObjectFlags(rawValue: 1 << 6)
    /// Inserted in the present event.
    static let insertedInEvent = ObjectFlags(rawValue: 1 << 7)
    /// On the context's list of changed objects.
    static let listed = ObjectFlags(rawValue: 1 << 8)
    /// The context has forgotten the object.
    static let detached = ObjectFlags(rawValue: 1 << 9)
    /// The committed values are not the store's: a rollback turns the object into a fault.
    static let refault = ObjectFlags(rawValue: 1 << 10)
    /// Changed in the event that is being reported to observers.
    static let reported = ObjectFlags(rawValue: 1 << 12)
    /// Inserted in the event that is being reported to observers.
    static let announcedBirth = ObjectFlags(rawValue: 1 << 13)

    /// The object is turning into a fault, or ceasing to be one.
    static let inTransition = ObjectFlags(rawValue: 1 << 11)
    /// A hook is running in which setting an attribute does not count as a change.
    static let runningAwakeHook = ObjectFlags(rawValue: 1 << 14)
    /// Reads and writes are reported to an observation. An object with this flag is never
    /// `writable`.
    @usableFromInline static let observed = ObjectFlags(rawValue: 1 << 15)

    /// True if a read needs only the slot: the object is not a fault, and no observation is
    /// active.
    @inlinable
    var isReadable: Bool { rawValue & (1 << 15 | 1) == 1 }

    /// The same flags for an object with reads and writes that are reported.
    var observed: ObjectFlags { subtracting(.writable).union(.observed) }

    /// The tables of a context's ``PendingKeys`` have the object's values: a write has to report
    /// itself.
    @usableFromInline static let keyed = ObjectFlags(rawValue: 1 << 16)

    /// True if a write only has to set the slot: the object is `writable`, and no table has its
    /// values.
    @inlinable
    var isWritable: Bool { rawValue & (1 << 16 | 1 << 1) == 1 << 1 }

    /// The flags of unsaved changes.
    static let changes: ObjectFlags = [.inserted, .updated, .deleted]
}

// These replace the general forms of `OptionSet`, which are function calls, because every access
// to an object uses them.
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
