package import AnabranchReplication

/// A snapshot with some of its chunks received, kept in the file until all are there.
package struct StagedSnapshot: Hashable, Sendable {
    /// The position of the zone's log at which the snapshot was taken.
    package let cursor: LogCursor
    /// The digest of the whole snapshot, so that chunks of two snapshots are never mixed.
    package let digest: Digest
    package let chunkCount: UInt64
    /// The number of chunks received, counted from the first.
    package var held: UInt64

    package init(cursor: LogCursor, digest: Digest, chunkCount: UInt64, held: UInt64 = 0) {
        self.cursor = cursor
        self.digest = digest
        self.chunkCount = chunkCount
        self.held = held
    }

    package var isWhole: Bool { held >= chunkCount }
}
