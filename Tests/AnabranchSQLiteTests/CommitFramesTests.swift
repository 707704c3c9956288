import Foundation
import TestSupport
import Testing

@testable import AnabranchSQLite

/// Commits that write their frames with one call.
struct CommitFramesTests {
    private let path = "data"
    private let disk = SimulatedDisk(seed: 1)

    /// A connection of a program that does not gather frames.
    private func openPlainly() throws -> Connection {
        try Connection(path: path, vfs: disk.name + "-files")
    }

    private func open(cachedPages: Int = 500) throws -> Connection {
        let connection = try Connection(path: path, vfs: disk.name)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try connection.execute("PRAGMA cache_size = \(cachedPages)")
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY, text)")
        return connection
    }

    private func insert(_ numbers: Range<Int>, _ connection: Connection) throws {
        for number in numbers {
            try connection.run(
                "INSERT INTO entry VALUES (?, ?)", .integer(Int64(number)),
                .text(String(repeating: "\(number) ", count: 700)))
        }
    }

    private func count(_ connection: Connection) throws -> SQLiteValue? {
        try connection.firstValue("SELECT count(*) FROM entry")
    }

    private func expectSound(_ connection: Connection, rows: Int64) throws {
        #expect(try connection.firstValue("PRAGMA integrity_check") == .text("ok"))
        #expect(try count(connection) == .integer(rows))
    }

    @Test func `a commit writes all its frames with one operation`() throws {
        let connection = try open()
        try connection.transaction { try insert(0..<1, connection) }
        let process = disk.process(of: path)
        for number in 1..<20 {
            let before = process.operationCount
            try connection.transaction { try insert(number..<number + 1, connection) }
            #expect(process.operationCount == before + 1)
        }
        try expectSound(try openPlainly(), rows: 19 + 1)
    }

    @Test(arguments: [3_040_001, 3_099_000])
    func `frames are gathered only for a version of SQLite that was tested`(version: Int) {
        let log = RecordedLog()
        let frames = CommitFrames(log.file, version: Int32(version))
        for isLast in [false, true] { writeFrame(isLast: isLast, to: frames, isFirst: !isLast) }
        #expect(frames.end(isCommitted: true) == 0)
        #expect(log.writes == (version == 3_040_001 ? [2 * 4120] : [24, 4096, 24, 4096]))
    }

    /// SQLite would then write in another order than it was tested.
    @Test func `a commit without a last frame is written all the same`() {
        let log = RecordedLog()
        let frames = CommitFrames(log.file)
        writeFrame(isLast: false, to: frames, isFirst: true)
        #expect(log.writes.isEmpty)
        #expect(frames.end(isCommitted: true) == 0)
        #expect(log.writes == [4120])
        writeFrame(isLast: true, to: frames, isFirst: true)
        #expect(log.writes == [4120, 24, 4096])
    }

    private func writeFrame(isLast: Bool, to frames: CommitFrames, isFirst: Bool) {
        if isFirst { frames.begin() }
        var frame = [UInt8](repeating: 0, count: 24 + 4096)
        if isLast { frame[7] = 1 }
        frame.withUnsafeBytes { bytes in
            let start = isFirst ? 32 : 32 + Int64(bytes.count)
            let header = UnsafeRawBufferPointer(rebasing: bytes[..<24])
            let page = UnsafeRawBufferPointer(rebasing: bytes[24...])
            #expect(frames.write(header, at: start) == 0)
            #expect(frames.write(page, at: start + 24) == 0)
        }
    }

    @Test func `another program sees each commit, whatever its size`() throws {
        let connection = try open(cachedPages: 5000)
        let other = try openPlainly()
        var rows = 0
        for size in [1, 20, 31, 32, 33, 200, 2] {
            try connection.transaction { try insert(rows..<rows + size, connection) }
            rows += size
            try expectSound(other, rows: Int64(rows))
        }
        try expectSound(connection, rows: Int64(rows))
    }

    /// Pages that do not fit into the cache are written before the commit, and if they change
    /// again, once more in the same place. SQLite then writes the headers behind them again.
    @Test func `a transaction that outgrows the cache is whole`() throws {
        let connection = try open(cachedPages: 10)
        let other = try openPlainly()
        try connection.transaction { try insert(0..<100, connection) }
        for round in 1...5 {
            try connection.transaction {
                let new = round * 100
                try insert(new..<new + 100, connection)
                try connection.execute(
                    "UPDATE entry SET text = text || ' again' WHERE number % 7 = 1")
                try connection.execute(
                    "UPDATE entry SET text = text || ' once' WHERE number % 3 = 1")
            }
            try expectSound(other, rows: Int64(round + 1) * 100)
        }
        // A dead process does not copy its log when it is closed.
        disk.process(of: path).die()
        connection.close()
        other.close()
        // The log is read from its beginning, with all checksums.
        disk.restart(path, afterLossOfPower: false)
        try expectSound(try open(), rows: 600)
    }

    /// A virtual table writes within COMMIT, and the commit that is refused has written some
    /// frames. What another program then writes is in their place.
    @Test func `a refused commit leaves nothing behind`() throws {
        let connection = try open(cachedPages: 5)
        try connection.execute("PRAGMA foreign_keys = ON")
        try connection.execute(
            """
            CREATE TABLE child (parent REFERENCES entry DEFERRABLE INITIALLY DEFERRED);
            CREATE VIRTUAL TABLE words USING fts5(text)
            """)
        let other = try openPlainly()
        for round in 0..<5 {
            #expect(throws: SQLiteError.self) {
                try connection.transaction {
                    try insert(1000..<1100, connection)
                    for number in 0..<50 {
                        try connection.run(
                            "INSERT INTO words VALUES (?)", .text("word\(number) and \(round)"))
                    }
                    try connection.execute("INSERT INTO child VALUES (77777)")
                }
            }
            try other.transaction { try insert(round * 20..<round * 20 + 20, other) }
            try expectSound(connection, rows: Int64(round + 1) * 20)
            try connection.transaction {
                try connection.run("INSERT INTO words VALUES (?)", .text("kept \(round)"))
            }
            try expectSound(other, rows: Int64(round + 1) * 20)
        }
        try connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        #expect(try connection.firstValue("SELECT count(*) FROM words('kept')") == .integer(5))
    }

    /// A commit of several writes of which one fails, while another program goes on.
    @Test(arguments: 0..<8)
    func `a commit that the disk refuses leaves nothing behind`(operations: Int) throws {
        let connection = try open(cachedPages: 5000)
        let other = try openPlainly()
        for round in 0..<3 {
            disk.process(of: path).failAfter(operations)
            #expect(throws: SQLiteError.self) {
                try connection.transaction { try insert(1000..<1200, connection) }
            }
            try other.transaction { try insert(round * 20..<round * 20 + 20, other) }
            try expectSound(connection, rows: Int64(round + 1) * 20)
            try connection.transaction {
                try connection.execute("UPDATE entry SET text = text || '!' WHERE number % 3 = 0")
            }
            try expectSound(other, rows: Int64(round + 1) * 20)
        }
    }

    @Test func `connections of both kinds write in turns to a file of the system`() throws {
        let folder = try ScratchFolder()
        let gathering = try Connection(path: folder.path())
        try gathering.execute("PRAGMA journal_mode = WAL; CREATE TABLE entry (number, text)")
        let plain = try Connection(path: folder.path(), vfs: "unix")
        var generator = SeededGenerator(seed: 7)
        var rows: Int64 = 0
        for _ in 0..<300 {
            let size = Int.random(in: 1...40, using: &generator)
            let writer = Bool.random(using: &generator) ? gathering : plain
            try writer.transaction { try insert(0..<size, writer) }
            rows += Int64(size)
            if Int.random(in: 0..<10, using: &generator) == 0 {
                _ = try writer.checkpoint(.truncate)
            }
            let reader = Bool.random(using: &generator) ? gathering : plain
            #expect(try count(reader) == .integer(rows))
        }
        try expectSound(plain, rows: rows)
    }

    @Test func `a process that dies at any operation of a commit leaves a whole file`() throws {
        var operations = 0
        while true {
            let disk = SimulatedDisk(seed: UInt64(operations))
            let process = disk.process(of: path)
            let connection = try Connection(path: path, vfs: disk.name)
            try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            try connection.execute("PRAGMA cache_size = 10")
            try connection.execute("CREATE TABLE entry (number INTEGER PRIMARY KEY, text)")
            try connection.transaction { try insert(0..<10, connection) }
            process.dieAfter(operations)
            let isCommitted =
                (try? connection.transaction { try insert(10..<60, connection) }) != nil
            connection.close()
            let hasDied = process.isDead
            process.dieAfter(nil)
            if hasDied { disk.restart(path, afterLossOfPower: true) }
            let survivor = try Connection(path: path, vfs: disk.name)
            defer { survivor.close() }
            #expect(try survivor.firstValue("PRAGMA integrity_check") == .text("ok"))
            let rows = try count(survivor)
            #expect(rows == .integer(60) || !isCommitted && rows == .integer(10))
            guard hasDied else { return }
            operations += 1
        }
    }
}
