public import AnabranchProtocol
import AnabranchReplication
import Foundation

extension ZoneService {
    /// A chunk of a snapshot: the whole merged state at one position, which a client takes in the
    /// place of the log up to there.
    ///
    /// The snapshot is made where there is none that is new enough; whoever asks meanwhile waits
    /// for it. Pushes go on.
    ///
    /// - Throws: `unknownSnapshot` where the named one is gone: begin with the newest.
    public func snapshot(_ request: SnapshotRequest) throws(ProtocolError) -> SnapshotResponse {
        try named {
            let log = try storage.read { try $0.logState() }
            let manifest = try manifest(for: request, log)
            guard request.number < manifest.chunkCount,
                let chunk = try storage.snapshots.chunk(request.number, of: manifest.name)
            else { throw Self.unknown }
            return SnapshotResponse(
                snapshot: manifest.name, chunkCount: manifest.chunkCount,
                headPosition: log.head.position, wallMilliseconds: wallMilliseconds(),
                chunk: chunk)
        }
    }

    private static let unknown = ProtocolError(
        .unknownSnapshot,
        "Can't give a chunk of that snapshot because the zone no longer has it: begin with the "
            + "newest.")

    private func manifest(
        for request: SnapshotRequest, _ log: LogState
    ) throws -> SnapshotManifest {
        guard let name = request.snapshot else { return try newestSnapshot() }
        let manifests = try usableSnapshots(log)
        guard let manifest = manifests.first(where: { $0.name == name }) else {
            throw Self.unknown
        }
        return manifest
    }

    /// Those of this log and its present epoch: another one may have been restored, or the file
    /// copied with them.
    private func usableSnapshots(_ log: LogState) throws -> [SnapshotManifest] {
        let manifests = try storage.snapshots.manifests()
        return try storage.read { reader in
            try manifests.filter { manifest in
                let cursor = manifest.name.cursor
                return try cursor.epoch == log.head.epoch
                    && cursor.position >= log.startPosition
                    && reader.presentForm(of: cursor, in: log) != nil
            }
        }
    }

    /// The newest snapshot, made now where it is missing or too old.
    func newestSnapshot(atMost age: UInt64? = nil) throws -> SnapshotManifest {
        try makingSnapshot.withLock {
            let log = try storage.read { try $0.logState() }
            let limit = age ?? limits.snapshotAge
            if let newest = try usableSnapshots(log).first,
                log.head.position - newest.name.cursor.position <= limit
            {
                return newest
            }
            let made = try makeSnapshot()
            try storage.snapshots.keepNewest(Self.snapshotsKept)
            return made
        }
    }

    /// One more than the newest, for those who are in the middle of it.
    private static let snapshotsKept = 2

    private func makeSnapshot() throws -> SnapshotManifest {
        try storage.read { reader in
            let cursor = try reader.logState().head
            return try storage.snapshots.write(at: cursor) { write in
                var cutter = ChunkCutter(limits)
                try reader.forEachHead { head in
                    cutter.chunk.append(head)
                    if let full = cutter.cutIfFull() { try cutter.put(full, write) }
                }
                try reader.forEachRow { record in
                    cutter.chunk.append(record)
                    if let full = cutter.cutIfFull() { try cutter.put(full, write) }
                }
                try reader.forEachLink { property, link in
                    cutter.chunk.append(link, of: property)
                    if let full = cutter.cutIfFull() { try cutter.put(full, write) }
                }
                // Also of an empty state there is one chunk.
                if cutter.chunkCount == 0 || !cutter.chunk.isEmpty {
                    try cutter.put(cutter.cut(), write)
                }
            }
        }
    }
}

/// Cuts a state into chunks.
private struct ChunkCutter {
    let limits: ZoneLimits
    var chunk = SnapshotChunkEncoder()
    private(set) var chunkCount = 0

    init(_ limits: ZoneLimits) { self.limits = limits }

    mutating func cutIfFull() -> ByteWriter? {
        // A column of nulls takes no bytes: values are counted as well.
        let isFull = chunk.byteCount >= limits.chunkBytes || chunk.cellCount >= Self.mostCells
        return isFull ? cut() : nil
    }

    private static let mostCells = 1 << 20

    mutating func cut() -> ByteWriter {
        let full = chunk
        chunk = SnapshotChunkEncoder()
        chunkCount += 1
        return full.finished()
    }

    /// One that no answer holds goes in pieces.
    func put(_ chunk: ByteWriter, _ write: ([UInt8]) throws -> Void) throws {
        guard chunk.count > limits.pageBytes else { return try write(chunk.bytes) }
        try SnapshotPiece.cut(chunk, into: limits.chunkBytes, write)
    }
}
