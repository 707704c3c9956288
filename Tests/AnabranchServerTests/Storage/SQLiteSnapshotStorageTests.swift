import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Two storages over one file stand for two processes.
@Suite struct SQLiteSnapshotStorageTests {
    private let directory: TemporaryDirectory
    private let cursor = LogCursor(startOf: EpochID(high: 1, low: 2))

    init() throws { directory = try TemporaryDirectory("snapshots") }

    private func open() -> SQLiteSnapshotStorage {
        SQLiteSnapshotStorage(path: directory.file("zone.snapshots"), vfs: nil)
    }

    private func chunks(_ storage: SQLiteSnapshotStorage) throws -> [[[UInt8]]] {
        try storage.manifests().map { manifest in
            try (0..<manifest.chunkCount).map {
                try #require(try storage.chunk($0, of: manifest.name))
            }
        }
    }

    @Test func `two processes write snapshots of one zone at the same time`() throws {
        let (first, second) = (open(), open())
        defer { [first, second].forEach { $0.close() } }
        _ = try first.write(at: cursor, wallMilliseconds: { 1_000 }) { write in
            try write([1])
            // The second process opens the file, and writes a snapshot of its own.
            _ = try second.write(at: cursor, wallMilliseconds: { 1_000 }) { write in
                try write([3])
                try write([4])
                try second.keepNewest(1)
            }
            try write([2])
        }
        #expect(try chunks(first) == [[[3], [4]], [[1], [2]]])
        #expect(try chunks(second) == [[[3], [4]], [[1], [2]]])
    }

    @Test func `a snapshot that was removed while it was written is an error`() throws {
        let (first, second) = (open(), open())
        defer { [first, second].forEach { $0.close() } }
        let error = #expect(throws: StorageError.self) {
            try first.write(at: cursor, wallMilliseconds: { 1_000 }) { write in
                try write([1])
                try second.dropUnfinished(untouchedSince: 2_000)
                _ = try second.write(at: cursor, wallMilliseconds: { 2_000 }) { try $0([2]) }
                try write([3])
            }
        }
        #expect(error?.code == .snapshotRemoved)
        #expect(try chunks(second) == [[[2]]])
    }

    @Test func `the ID of a removed snapshot is not used again`() throws {
        let (first, second) = (open(), open())
        defer { [first, second].forEach { $0.close() } }
        var earlyError: (any Error)?
        let error = #expect(throws: StorageError.self) {
            try first.write(at: cursor, wallMilliseconds: { 1_000 }) { write in
                try write([1])
                try second.dropUnfinished(untouchedSince: 2_000)
                _ = try second.write(at: cursor, wallMilliseconds: { 2_000 }) { writeSecond in
                    try writeSecond([2])
                    do { try write([3]) } catch { earlyError = error }
                }
                try write([4])
            }
        }
        #expect(earlyError is StorageError)
        #expect(error?.code == .snapshotRemoved)
        #expect(try chunks(second) == [[[2]]])
    }

    @Test func `a snapshot that is still being written is not removed as unfinished`()
        throws
    {
        let (first, second) = (open(), open())
        defer { [first, second].forEach { $0.close() } }
        _ = try first.write(at: cursor, wallMilliseconds: { 1_000 }) { write in
            try write([1])
            try second.dropUnfinished(untouchedSince: 1_000)
            try write([2])
        }
        #expect(try chunks(second) == [[[1], [2]]])
    }
}
