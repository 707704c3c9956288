package import AnabranchReplication

/// The state of a zone's log: its end, its epochs and how far it is compacted.
package struct LogState: Sendable {
    /// The cursor after the last entry, in the present epoch.
    package var head: LogCursor
    package var history: EpochHistory
    /// The greatest timestamp of the log; zero while it is empty.
    package var greatestTimestamp: HybridTimestamp
    /// The position of the last compacted entry, which has no payload any more; zero while the log
    /// is whole.
    package var startPosition: UInt64 = 0
    /// The last entry that the present transaction has appended; `nil` if it has appended none.
    package var appended: ZoneLogLocation?
}

/// A change set that is being appended to the log.
package struct ZoneLogEntry: Sendable {
    package var changeSet: ChangeSet
    /// The bytes as they were pushed; clients pull the same bytes.
    package var bytes: [UInt8]
    package var cursor: LogCursor
}

/// The position and form in which the log holds a save.
package struct ZoneLogLocation: Hashable, Sendable {
    package var position: UInt64
    /// The kind of entry; the log may hold the save as a void.
    package var kind: LogEntryKind
    package var dot: Dot
    package var timestamp: HybridTimestamp
    package var origin: Digest
    package var digest: Digest
}

/// The last change set of a replica that a zone holds.
package struct ReplicaHead: Hashable, Sendable {
    package var sequence: UInt64
    package var origin: Digest
}

/// A run of log entries, as it is sent.
package struct LogPage: Sendable {
    package var changeSets: [[UInt8]]
    /// The cursor after the last of them; `nil` if there are none.
    package var cursor: LogCursor?
}

/// The size of a zone, counted from its rows.
package struct ZoneCounts: Hashable, Sendable {
    /// The number of records that are not dead.
    package var records: Int64
    /// Replicas that have pushed, or that a record or stamp mentions.
    package var replicas: Int64
    /// The bytes of change sets, names, values, delete marks, tags and parts, as quotas count them.
    package var bytes: Int64
}
