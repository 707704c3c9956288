package import AnabranchReplication

/// Consecutive entries of a zone's log.
package struct RemotePage: Sendable {
    package let changeSets: [ChangeSet]
    /// The cursor before the entries, with which the page was requested.
    package let after: LogCursor
    /// The cursor after the entries.
    package let cursor: LogCursor

    package init(changeSets: [ChangeSet], after: LogCursor, cursor: LogCursor) {
        self.changeSets = changeSets
        self.after = after
        self.cursor = cursor
    }
}
