package import AnabranchProtocol
package import AnabranchReplication

/// The name and size of a complete snapshot.
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

/// Stores the snapshots of one zone, in chunks that never change.
///
/// A snapshot that is lost can always be created again from the zone's state.
package protocol SnapshotStorage: Sendable {
    /// The complete snapshots, the newest first.
    func manifests() throws -> [SnapshotManifest]

    /// Reads a chunk.
    ///
    /// - Returns: `nil` if there is no such chunk any more.
    ///
    /// - Throws: ``StorageError`` `damaged` if its bytes are not those that were written.
    func chunk(_ number: UInt64, of name: SnapshotName) throws -> [UInt8]?

    /// Writes a snapshot, which exists only when `body` has returned.
    ///
    /// - Parameters:
    ///   - wallMilliseconds: Returns the present time. It is called for each chunk, so that another
    ///     process sees that the snapshot is being written.
    ///   - body: Writes the chunks in their order.
    /// - Throws: ``StorageError`` `snapshotRemoved` if another process has removed what was
    ///   written so far.
    func write(
        at cursor: LogCursor, wallMilliseconds: @escaping () -> Int64,
        _ body: ((_ chunk: [UInt8]) throws -> Void) throws -> Void
    ) throws -> SnapshotManifest

    /// Removes unfinished snapshots to which nothing was added since a time, because the process
    /// that wrote them has probably died.
    func dropUnfinished(untouchedSince wallMilliseconds: Int64) throws

    /// Removes all complete snapshots but the newest ones.
    func keepNewest(_ count: Int) throws

    func close()
}
