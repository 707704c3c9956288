import AnabranchReplication

extension WriteTransaction {
    /// The records that a change set changes.
    func touched(by set: ChangeSet) throws -> Set<LocalID> {
        var touched: Set<LocalID> = []
        try set.forEachTouchedRecord(PartTable(connection)) { touched.insert(try localID(of: $0)) }
        return touched
    }
}
