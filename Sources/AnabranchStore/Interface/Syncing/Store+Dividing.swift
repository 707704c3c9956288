package import AnabranchReplication

extension Store {
    /// Gives a change set that the zone does not hold a form that fits a request.
    ///
    /// The content of a whole save becomes a part, which is sent in pieces. A save that is too
    /// large even then becomes a void, as if the zone had rejected it, so that later saves can
    /// follow.
    ///
    /// - Parameters:
    ///   - set: The change set, as it was loaded to be pushed.
    ///   - byteLimit: The greatest number of bytes that the encoded change set may have.
    ///   - rejection: The reason that the void gives; `nil` if the save must not become one.
    /// - Returns: The records that a void has removed, or `nil` if no form fits. Nothing is changed
    ///   if the log no longer has the change set in this form, or if the zone holds it.
    package func divide(
        _ set: ChangeSet, toFit byteLimit: Int, orReject rejection: SaveRejection?
    ) throws -> ChangedRecords? {
        try write { transaction in
            guard let entry = try transaction.log.entry(named: set.dot), entry.place == nil,
                entry.changeSet.digest == set.digest
            else { return ChangedRecords() }
            if set.kind == .save {
                let part = SavePart(of: set.payload)
                let divided = ChangeSet(dividing: set, into: part)
                if divided.encoded().count <= byteLimit {
                    _ = try PartTable(transaction.connection).keep(ByteWriter(set.payload))
                    try transaction.replace(
                        entry, by: divided,
                        ordinal: try transaction.ordinal(of: set.dot.replica))
                    return ChangedRecords()
                }
            }
            guard let rejection, set.kind.isSave else { return nil }
            let void = ChangeSet(voiding: set, for: rejection)
            guard void.encoded().count <= byteLimit else { return nil }
            var changes = ChangeCollector()
            var voiding = SaveVoiding(transaction)
            try voiding.run([(entry, void)], &changes)
            var changed = try transaction.collected(changes)
            changed.rejections = transaction.rejections
            return changed
        }
    }
}
