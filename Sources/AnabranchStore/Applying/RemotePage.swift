package import AnabranchReplication

/// Entries of a zone's log, one after the other.
package struct RemotePage: Sendable {
    package let changeSets: [ChangeSet]
    /// Where they begin: the cursor that was asked with.
    package let after: LogCursor
    /// Where they end.
    package let cursor: LogCursor

    package init(changeSets: [ChangeSet], after: LogCursor, cursor: LogCursor) {
        self.changeSets = changeSets
        self.after = after
        self.cursor = cursor
    }
}
