import AnabranchSQLite
import Testing

@Suite struct `The version of a file` {
    private let folder: ScratchFolder
    private let connection: Connection

    init() throws {
        folder = try ScratchFolder()
        connection = try Connection(path: folder.path("file.db"))
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    }

    /// The version within a transaction that begins to write.
    private func version(_ connection: Connection) throws -> UInt32? {
        try connection.transaction(.immediate) { connection.fileVersion }
    }

    private func insert(on connection: Connection) throws {
        try connection.transaction { try connection.run("INSERT INTO t VALUES (1)") }
    }

    @Test func `stays while the file is not written`() throws {
        try insert(on: connection)
        let first = try #require(connection.fileVersion)
        try connection.transaction(.deferred) {
            _ = try connection.rows("SELECT * FROM t")
            #expect(connection.fileVersion == first)
        }
        #expect(try version(connection) == first)
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `is another one after each commit, also of another connection`(mode: String) throws {
        try connection.execute("PRAGMA journal_mode = \(mode)")
        let other = try Connection(path: folder.path("file.db"))
        var seen = [try version(connection)]
        for turn in 0..<6 {
            try insert(on: turn % 2 == 0 ? connection : other)
            let version = try version(connection)
            #expect(version != nil && !seen.contains(version))
            seen.append(version)
        }
    }

    @Test func `is none after the connection was closed`() {
        connection.close()
        #expect(connection.fileVersion == nil)
    }
}
