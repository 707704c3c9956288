package import AnabranchReplication

/// One change set in this file's log.
package struct LogEntry: Sendable {
    /// In the order in which this file came to hold its sets.
    package let localPosition: Int64
    /// Where the zone's log has it; `nil` while it is not known to be there.
    package let place: CausalContext.Prefix?
    package let changeSet: ChangeSet

    package init(localPosition: Int64, place: CausalContext.Prefix?, changeSet: ChangeSet) {
        self.localPosition = localPosition
        self.place = place
        self.changeSet = changeSet
    }
}
