package import AnabranchProtocol
import AnabranchReplication
import Foundation

extension ZoneService {
    /// A chunk of a snapshot, which is the whole merged state at one position.
    ///
    /// A client takes the snapshot instead of the log up to that position. If no snapshot is new
    /// enough, the zone creates one, and pushes continue. Concurrent requests get the same one.
    ///
    /// - Throws: `unknownSnapshot` if the named snapshot no longer exists: start with the newest.
    ///   `overloaded` while the snapshot is created for another request: come back for it.
    package func snapshot(_ request: SnapshotRequest) throws(ProtocolError) -> SnapshotResponse {
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

    /// The snapshots of this log and its present epoch.
    ///
    /// Others may be present after the zone's file was restored or copied.
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

    /// The newest snapshot, created now if it is missing or too old.
    ///
    /// - Parameters:
    ///   - age: The greatest number of log entries after the snapshot; `nil` for the limit of the
    ///     zone.
    ///   - isPatient: True to wait for as long as other jobs take.
    func newestSnapshot(
        atMost age: UInt64? = nil, isPatient: Bool = false
    ) throws -> SnapshotManifest {
        let limit = age ?? limits.snapshotAge
        if let newest = try newestSnapshot(behindBy: limit) { return newest }
        return try jobs.run(in: name, isPatient: isPatient) {
            // Another request may have made it meanwhile.
            if let newest = try newestSnapshot(behindBy: limit) { return newest }
            let unfinished = wallMilliseconds() - limits.stageMilliseconds
            try storage.snapshots.dropUnfinished(untouchedSince: unfinished)
            let made = try makeSnapshot()
            try storage.snapshots.keepNewest(Self.snapshotsKept)
            return made
        }
    }

    /// The newest snapshot; `nil` if it is missing or older than a number of log entries.
    private func newestSnapshot(behindBy limit: UInt64) throws -> SnapshotManifest? {
        let log = try storage.read { try $0.logState() }
        return try usableSnapshots(log).first.flatMap {
            log.head.position - min($0.name.cursor.position, log.head.position) <= limit ? $0 : nil
        }
    }

    /// The newest snapshot, and the previous one for clients that are still reading it.
    private static let snapshotsKept = 2

    private func makeSnapshot() throws -> SnapshotManifest {
        try storage.read { reader in
            let cursor = try reader.logState().head
            return try storage.snapshots.write(
                at: cursor, wallMilliseconds: wallMilliseconds
            ) { write in
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
                // An empty state has one chunk too.
                if cutter.chunkCount == 0 || !cutter.chunk.isEmpty {
                    try cutter.put(cutter.cut(), write)
                }
            }
        }
    }
}

/// Splits a state into chunks.
private struct ChunkCutter {
    let limits: ZoneLimits
    var chunk = SnapshotChunkEncoder()
    private(set) var chunkCount = 0

    init(_ limits: ZoneLimits) { self.limits = limits }

    mutating func cutIfFull() -> ByteWriter? {
        // A column of nulls takes no bytes, so values are counted too.
        let isFull = chunk.byteCount >= limits.chunkBytes || chunk.cellCount >= Self.maximumCells
        return isFull ? cut() : nil
    }

    private static let maximumCells = 1 << 20

    mutating func cut() -> ByteWriter {
        let full = chunk
        chunk = SnapshotChunkEncoder()
        chunkCount += 1
        return full.finished()
    }

    /// Writes a chunk; one that is too large for a response is split into pieces.
    func put(_ chunk: ByteWriter, _ write: ([UInt8]) throws -> Void) throws {
        guard chunk.count > limits.pageBytes else { return try write(chunk.bytes) }
        try SnapshotPiece.cut(chunk, into: limits.chunkBytes, write)
    }
}
