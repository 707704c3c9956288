public import AnabranchStore

extension ManagedObjectContext {
    /// Applies a rejected save again, together with what later saves did to the objects that it
    /// had inserted. The results are ordinary unsaved changes, which the next save sends.
    ///
    /// Objects that the rejected save inserted are inserted again as new objects, because an
    /// identity is never used twice. References to the former objects point to the new ones. The
    /// rejected save stays in its table until it is discarded.
    ///
    /// - Parameter rejected: The rejected save.
    /// - Returns: The new objects, and what had to be left out.
    /// - Throws: `ChangeSetDecodingError` if the save has a later format; `StoreError`. Roll the
    ///   context back then.
    @discardableResult
    public func reapply(_ rejected: RejectedSave) throws -> ReappliedSave {
        checkQueue()
        var reapplication = Reapplication(self)
        return try reapplication.run(try rejected.operations())
    }
}
