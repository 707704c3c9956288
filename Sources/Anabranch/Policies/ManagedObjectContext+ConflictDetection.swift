extension ManagedObjectContext {
    /// Has the next save compare an object with the store though nothing was changed in it.
    ///
    /// Objects that are changed or deleted are compared always. Ask for it where what is saved was
    /// decided by what this object had: a save that finds its row changed or deleted since it was
    /// read is a conflict, which the ``mergePolicy`` settles. Once a save has succeeded, or after
    /// ``rollback()``, the object is not compared any more. A fault that was never read has nothing
    /// to be compared, and a save with nothing to write compares nothing.
    ///
    /// An object of another context is not compared: the next save throws a ``PropertyError`` with
    /// code `foreignObject`.
    public func detectConflicts(for object: ManagedObject) {
        checkQueue()
        guard object.home.context === self else {
            return keep(foreign(object, to: "detect conflicts for"))
        }
        guard !object.flags.contains(.detached) else { return }
        conflictChecks.insert(object)
    }
}
