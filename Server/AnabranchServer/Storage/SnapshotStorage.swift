package import AnabranchProtocol
package import AnabranchReplication

/// The name and size of a complete snapshot.
package struct SnapshotManifest: Hashable, Sendable {
    package var name: SnapshotName
    package var chunkCount: UInt64
    package var byteCount: UInt64
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

/// A storage of snapshots that keeps each chunk as it is written.
protocol ChunkStorage: SnapshotStorage {
    /// Names a snapshot that is being written.
    associatedtype SnapshotID

    /// Begins a snapshot, which is unfinished until `finish`.
    func begin(at cursor: LogCursor, wallMilliseconds: Int64) throws -> SnapshotID
    /// Appends a chunk.
    ///
    /// - Throws: ``StorageError`` `snapshotRemoved` if the unfinished snapshot is gone.
    func append(
        _ chunk: [UInt8], _ digest: Digest, number: UInt64, to id: SnapshotID,
        wallMilliseconds: Int64
    ) throws
    func finish(_ manifest: SnapshotManifest, _ id: SnapshotID) throws
    func discard(_ id: SnapshotID) throws
}

extension ChunkStorage {
    package func write(
        at cursor: LogCursor, wallMilliseconds: @escaping () -> Int64,
        _ body: ((_ chunk: [UInt8]) throws -> Void) throws -> Void
    ) throws -> SnapshotManifest {
        let id = try begin(at: cursor, wallMilliseconds: wallMilliseconds())
        var digests = DigestBuilder()
        var chunkCount: UInt64 = 0
        var byteCount: UInt64 = 0
        do {
            try body { chunk in
                let digest = Digest(of: chunk)
                try append(
                    chunk, digest, number: chunkCount, to: id,
                    wallMilliseconds: wallMilliseconds())
                digests.update(digest)
                chunkCount += 1
                byteCount += UInt64(chunk.count)
            }
            let manifest = SnapshotManifest(
                name: SnapshotName(cursor: cursor, digest: digests.finish()),
                chunkCount: chunkCount, byteCount: byteCount)
            try finish(manifest, id)
            return manifest
        } catch {
            try? discard(id)
            throw error
        }
    }
}
