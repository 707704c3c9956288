import AnabranchReplication

/// A change set while it is applied, with its stamp in local form.
struct IncomingSet {
    let changeSet: ChangeSet
    let stamp: LocalStamp
    /// The position in this file's log.
    let position: Int64

    init(_ changeSet: ChangeSet, ordinal: Int64, position: Int64) {
        self.changeSet = changeSet
        stamp = LocalStamp(timestamp: changeSet.timestamp.rawValue, ordinal: ordinal)
        self.position = position
    }
}
