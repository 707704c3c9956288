package import AnabranchReplication

/// The end of a zone's log, and where that log comes from.
package struct LogState: Sendable {
    /// Behind the last entry, in the present epoch.
    package var head: LogCursor
    package var history: EpochHistory
    /// The greatest timestamp of the log; zero while it is empty.
    package var greatestTimestamp: HybridTimestamp
    /// Of the last entry of which the log keeps only the name; zero while it is whole.
    package var startPosition: UInt64

    package init(
        head: LogCursor, history: EpochHistory, greatestTimestamp: HybridTimestamp,
        startPosition: UInt64 = 0
    ) {
        self.startPosition = startPosition
        self.head = head
        self.history = history
        self.greatestTimestamp = greatestTimestamp
    }
}

/// One change set on its way into the log.
package struct LogEntry: Sendable {
    package var changeSet: ChangeSet
    /// As the set came: what the log gives to every client.
    package var bytes: [UInt8]
    /// Behind this entry.
    package var cursor: LogCursor

    package init(changeSet: ChangeSet, bytes: [UInt8], cursor: LogCursor) {
        self.changeSet = changeSet
        self.bytes = bytes
        self.cursor = cursor
    }
}

/// Where and in which form the log holds a save.
package struct LogPlace: Hashable, Sendable {
    package var position: UInt64
    /// A save may stand in the log as a void.
    package var kind: LogEntryKind
    package var dot: Dot
    package var timestamp: HybridTimestamp
    package var origin: Digest
    package var digest: Digest

    package init(
        position: UInt64, kind: LogEntryKind, dot: Dot, timestamp: HybridTimestamp,
        origin: Digest, digest: Digest
    ) {
        self.position = position
        self.kind = kind
        self.dot = dot
        self.timestamp = timestamp
        self.origin = origin
        self.digest = digest
    }
}

/// The last set that a zone holds of a replica.
package struct ReplicaHead: Hashable, Sendable {
    package var sequence: UInt64
    package var origin: Digest

    package init(sequence: UInt64, origin: Digest) {
        self.sequence = sequence
        self.origin = origin
    }
}

/// A run of the log, as it is sent.
package struct LogPage: Sendable {
    package var changeSets: [[UInt8]]
    /// Behind the last of them; `nil` where there are none.
    package var cursor: LogCursor?

    package init(changeSets: [[UInt8]], cursor: LogCursor?) {
        self.changeSets = changeSets
        self.cursor = cursor
    }
}

/// How much a zone holds.
package struct ZoneCounts: Hashable, Sendable {
    /// Without the dead ones.
    package var records: Int64
    package var links: Int64
    /// Replicas that have pushed, or that a record or stamp mentions.
    package var replicas: Int64
    /// Bytes on disk, as far as the back end can tell.
    package var bytes: Int64

    package init(records: Int64, links: Int64, replicas: Int64, bytes: Int64) {
        self.records = records
        self.links = links
        self.replicas = replicas
        self.bytes = bytes
    }
}
