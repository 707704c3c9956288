import AnabranchModel

extension UniqueConstraint {
    /// The error for a violated constraint.
    ///
    /// - Parameter records: The written record and the records that hold the same key.
    func conflict(of records: [LocalID], in entity: EntityDescription? = nil) -> StoreError {
        KeyConflicts([KeyConflict(attributes: attributes, owner: owner, records: records)])
            .error(in: entity ?? owner)
    }
}
