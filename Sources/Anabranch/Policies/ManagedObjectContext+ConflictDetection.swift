extension ManagedObjectContext {
    /// Makes the next save compare an object with the store, even if the object has no changes.
    ///
    /// Changed and deleted objects are always compared. Call this for an object if the app decided
    /// by its values what to save: if its row was changed or deleted since it was read, the save
    /// has a conflict, which the ``mergePolicy`` resolves. After a successful save or a
    /// ``rollback()``, the object is no longer compared. A fault that was never read is not
    /// compared, and a save without changes compares nothing.
    ///
    /// An object of another context is not compared: the next save throws a ``PropertyError`` with
    /// code `foreignObject`.
    ///
    /// - Parameter object: The object to compare.
    public func detectConflicts(for object: ManagedObject) {
        checkQueue()
        guard object.home.context === self else {
            return keep(foreign(object, to: "detect conflicts for"))
        }
        guard !object.flags.contains(.detached) else { return }
        conflictChecks.insert(object)
    }
}
