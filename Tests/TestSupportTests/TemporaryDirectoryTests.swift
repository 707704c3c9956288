import Foundation
import TestSupport
import Testing

@Suite struct TemporaryDirectoryTests {
    @Test func `a folder is new and writable, and is removed with its object`() throws {
        var folder: TemporaryDirectory? = try TemporaryDirectory("fresh")
        let path = try #require(folder?.path)
        let entries = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(entries.isEmpty)
        let file = try #require(folder?.file("inner.txt"))
        try Data("x".utf8).write(to: URL(filePath: file))
        #expect(try TemporaryDirectory("fresh").path != path)
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
