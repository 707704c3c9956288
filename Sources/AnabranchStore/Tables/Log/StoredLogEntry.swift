package import AnabranchReplication

/// One change set in this file's log.
package struct StoredLogEntry: Sendable {
    /// The entry's position, in the order in which this file received its change sets.
    package let localPosition: Int64
    /// The zone position of the change set; `nil` while the zone is not known to hold it.
    package let place: CausalContext.Prefix?
    package let changeSet: ChangeSet

    package init(localPosition: Int64, place: CausalContext.Prefix?, changeSet: ChangeSet) {
        self.localPosition = localPosition
        self.place = place
        self.changeSet = changeSet
    }
}
