/// Why an object has other values than before, though nobody has set them.
///
/// What was brought back says `undoDeletion` and what was taken out `undoInsertion`, whether an
/// undo or a redo has done it.
public struct SnapshotEventType: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The object is about to leave the context: its insertion is undone.
    public static let undoInsertion = SnapshotEventType(rawValue: 1 << 1)
    /// The object is there again.
    public static let undoDeletion = SnapshotEventType(rawValue: 1 << 2)
    /// Properties have the values from before a change.
    public static let undoUpdate = SnapshotEventType(rawValue: 1 << 3)
    /// The object has the values of the last save again.
    public static let rollback = SnapshotEventType(rawValue: 1 << 4)
    /// The object has newer values of the store, with its own unsaved changes on top.
    public static let refresh = SnapshotEventType(rawValue: 1 << 5)
    /// A merge policy has chosen values for the object, and they are saved; before its `didSave`.
    public static let mergePolicy = SnapshotEventType(rawValue: 1 << 6)
}
