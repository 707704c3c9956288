import CSQLite

/// The frames that a commit appends to the write-ahead log, which are written with one call.
///
/// SQLite writes each frame with two calls, one for its header and one for its page. A save of one
/// object appends five frames, and the system's part of ten calls is a fifth of its time.
///
/// Frames are gathered only while COMMIT runs, from ``begin()`` to ``end()``. The header of the
/// last frame of a commit says that it is the last one. With its page everything is written, and
/// SQLite gets the result before it makes the commit visible. So nothing is ever gathered while
/// another connection could append to the log.
///
/// This depends on the order in which SQLite writes, so it is done only with versions of SQLite
/// with which the tests have run. With any other version every write goes to the file at once.
///
/// Source: "WAL-mode File Format", sqlite.org/walformat.html.
final class CommitFrames {
    /// SQLite's file, which is the log.
    private let file: UnsafeMutablePointer<sqlite3_file>
    private var isGathering = false
    private var mayGather: Bool
    private var isLastFrame = false
    private var buffer: UnsafeMutableRawPointer?
    /// The place of the gathered bytes in the file.
    private var offset: Int64 = 0
    private var count = 0

    private static let headerCount = 24
    /// A commit with more is written in several calls. This is room for 31 pages of 4096 bytes.
    private static let capacity = 128 << 10

    /// The versions of SQLite with which the tests have run.
    private static let testedVersions: Set<Int32> = [3_040_001]

    /// - Parameter version: The version of SQLite that uses the file.
    init(_ file: UnsafeMutablePointer<sqlite3_file>, version: Int32 = sqlite3_libversion_number()) {
        self.file = file
        mayGather = Self.testedVersions.contains(version)
    }

    deinit { buffer?.deallocate() }

    /// Begins to gather, because COMMIT is about to run.
    func begin() {
        isGathering = mayGather
        isLastFrame = false
    }

    /// Stops gathering, because COMMIT has ended.
    ///
    /// What is left of a failed commit is rolled back, so nothing needs it. If something is left of
    /// a successful one, SQLite does not write as it was tested. That is written now, and frames
    /// are not gathered any more.
    ///
    /// - Parameter isCommitted: Whether COMMIT was successful.
    /// - Returns: SQLite's status code. After an error the log lacks a part of the commit.
    func end(isCommitted: Bool) -> Int32 {
        isGathering = false
        if isCommitted, count > 0 {
            mayGather = false
            return flush()
        }
        count = 0
        return SQLITE_OK
    }

    /// Gathers or writes bytes, and returns SQLite's status code.
    func write(_ source: UnsafeRawBufferPointer, at place: Int64) -> Int32 {
        guard isGathering else { return pass(source, at: place) }
        if place != offset + Int64(count) || count + source.count > Self.capacity {
            let status = flush()
            guard status == SQLITE_OK else { return status }
        }
        if source.count == Self.headerCount {
            // The size of the database after the commit; 0 in all frames but the last one.
            isLastFrame = source[4..<8].contains { $0 != 0 }
            gather(source, at: place)
            return SQLITE_OK
        }
        // A page without a header before it replaces one that the transaction wrote earlier.
        guard count > 0 else { return finishing(pass(source, at: place)) }
        gather(source, at: place)
        return isLastFrame ? finishing(flush()) : SQLITE_OK
    }

    /// Stops gathering if the last frame is written, or not even that was possible.
    private func finishing(_ status: Int32) -> Int32 {
        if isLastFrame || status != SQLITE_OK { isGathering = false }
        return status
    }

    private func gather(_ source: UnsafeRawBufferPointer, at place: Int64) {
        guard let start = source.baseAddress else { return }
        if count == 0 { offset = place }
        let buffer = buffer ?? .allocate(byteCount: Self.capacity, alignment: 16)
        self.buffer = buffer
        (buffer + count).copyMemory(from: start, byteCount: source.count)
        count += source.count
    }

    /// Writes what was gathered, before anything else happens to the file.
    ///
    /// - Returns: SQLite's status code. After an error SQLite rolls the transaction back, so
    ///   nothing needs the rest.
    func flush() -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
        count = 0
        let status = pass(bytes, at: offset)
        if status != SQLITE_OK { isGathering = false }
        return status
    }

    private func pass(_ source: UnsafeRawBufferPointer, at place: Int64) -> Int32 {
        file.pointee.pMethods.pointee.xWrite(file, source.baseAddress, Int32(source.count), place)
    }
}
