public import AnabranchStore

extension ManagedObjectContext {
    /// Does once more what a rejected save did, and what later saves did to the objects that it
    /// had inserted: unsaved edits as any others, which the next save sends.
    ///
    /// What was inserted becomes new objects, because an identity is never given twice; references
    /// that led to the old ones lead to the new ones. The rejected save stays in its table until
    /// it is discarded.
    ///
    /// - Throws: ``ChangeSetDecodingError`` where the save is of a later format; ``StoreError``.
    ///   Roll the context back then.
    @discardableResult
    public func redo(_ rejected: RejectedSave) throws -> RedoneSave {
        checkQueue()
        var redoing = Redoing(self)
        return try redoing.run(try rejected.operations())
    }
}
