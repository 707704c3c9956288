package import AnabranchProtocol
package import AnabranchReplication

/// A snapshot that is whole.
package struct SnapshotManifest: Hashable, Sendable {
    package var name: SnapshotName
    package var chunkCount: UInt64
    package var byteCount: UInt64

    package init(name: SnapshotName, chunkCount: UInt64, byteCount: UInt64) {
        self.name = name
        self.chunkCount = chunkCount
        self.byteCount = byteCount
    }
}

/// Where the snapshots of one zone are kept, in chunks that never change.
///
/// Nothing here is authoritative: what is lost is made anew from the zone's state.
package protocol SnapshotStorage: Sendable {
    /// The whole ones, the newest first.
    func manifests() throws -> [SnapshotManifest]

    /// - Returns: `nil` where there is no such chunk any more.
    /// - Throws: ``ZoneStorageError`` `damaged` where its bytes are not those that were written.
    func chunk(_ number: UInt64, of name: SnapshotName) throws -> [UInt8]?

    /// Writes a snapshot, which is there only when `body` has returned.
    ///
    /// - Parameter body: Gives the chunks, one after the other.
    func write(
        at cursor: LogCursor, _ body: ((_ chunk: [UInt8]) throws -> Void) throws -> Void
    ) throws -> SnapshotManifest

    /// Removes all but the newest ones.
    func keepNewest(_ count: Int) throws

    func close()
}
