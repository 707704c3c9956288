/// The reasons why an object got other values without a setter.
///
/// An object that came back reports `undoDeletion`, and an object that was removed reports
/// `undoInsertion`, whether an undo or a redo did it.
public struct SnapshotEventType: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The object's insertion is being undone. After the hook, the object leaves the context; if
    /// it was saved, it is deleted instead.
    public static let undoInsertion = SnapshotEventType(rawValue: 1 << 1)
    /// The object's deletion was undone.
    public static let undoDeletion = SnapshotEventType(rawValue: 1 << 2)
    /// Properties have their values from before a change.
    public static let undoUpdate = SnapshotEventType(rawValue: 1 << 3)
    /// The object has the values of the last save again.
    public static let rollback = SnapshotEventType(rawValue: 1 << 4)
    /// The object has newer values from the store, with its own unsaved changes on top.
    public static let refresh = SnapshotEventType(rawValue: 1 << 5)
    /// A merge policy has chosen values for the object, and they are saved. It is reported before
    /// the object's `didSave`.
    public static let mergePolicy = SnapshotEventType(rawValue: 1 << 6)
}
