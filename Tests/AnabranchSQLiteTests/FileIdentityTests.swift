import AnabranchSQLite
import Foundation
import Testing

struct FileIdentityTests {
    @Test func `a file keeps its identity when it is rewritten or moved`() throws {
        let folder = try ScratchFolder()
        try Data("one".utf8).write(to: folder.url.appending(path: "a"))
        let identity = try FileIdentity(path: folder.path("a"))
        let handle = try FileHandle(forUpdating: folder.url.appending(path: "a"))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data("two, longer".utf8))
        try handle.close()
        #expect(try FileIdentity(path: folder.path("a")) == identity)
        try FileManager.default.moveItem(atPath: folder.path("a"), toPath: folder.path("b"))
        let moved = try FileIdentity(path: folder.path("b"))
        #expect(moved == identity)
        #expect(moved.matches(identity))
    }

    @Test func `a copy has another identity, the original keeps its own`() throws {
        let folder = try ScratchFolder()
        let connection = try Connection(path: folder.path("a"))
        try connection.execute("CREATE TABLE t (a)")
        let identity = try FileIdentity(path: folder.path("a"))
        try FileManager.default.copyItem(atPath: folder.path("a"), toPath: folder.path("b"))
        #expect(try !FileIdentity(path: folder.path("b")).matches(identity))
        try connection.execute("INSERT INTO t VALUES (1); VACUUM")
        #expect(try FileIdentity(path: folder.path("a")).matches(identity))
    }

    @Test func `a symbolic link has the identity of its file`() throws {
        let folder = try ScratchFolder()
        try Data().write(to: folder.url.appending(path: "a"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("a"))
        #expect(
            try FileIdentity(path: folder.path("link")) == FileIdentity(path: folder.path("a")))
    }

    @Test func `a birth time that is not known is not compared`() {
        let known = FileIdentity(inode: 7, birthNanoseconds: 100)
        #expect(known.matches(FileIdentity(inode: 7, birthNanoseconds: 0)))
        #expect(FileIdentity(inode: 7, birthNanoseconds: 0).matches(known))
        #expect(!known.matches(FileIdentity(inode: 7, birthNanoseconds: 101)))
        #expect(!known.matches(FileIdentity(inode: 8, birthNanoseconds: 100)))
        #expect(!known.matches(FileIdentity(inode: 8, birthNanoseconds: 0)))
    }

    @Test func `a missing file is an error with its path`() throws {
        let path = try ScratchFolder().path("gone")
        let error = try #require(throws: SQLiteError.self) { _ = try FileIdentity(path: path) }
        #expect(error.code == .cantOpen)
        #expect(
            error.message
                == "Can't identify the file “\(path)” because No such file or directory.")
    }

    @Test func `its bytes are stable`() {
        let identity = FileIdentity(inode: 0x0102_0304_0506_0708, birthNanoseconds: -2)
        let bytes: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1, 254] + Array(repeating: 255, count: 7)
        #expect(identity.encoded == bytes)
        #expect(FileIdentity(encoded: bytes) == identity)
        #expect(FileIdentity(encoded: Array(bytes.dropLast())) == nil)
        #expect(FileIdentity(encoded: bytes + [0]) == nil)
    }
}
