import Foundation
import TestSupport
import Testing

@Suite struct GoldenTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("golden") }

    private func file(_ name: String) throws -> GoldenFile {
        try GoldenFile(name: name, caller: folder.file("Tests/Room/Deep/RoomTests.swift"))
    }

    @Test func `a golden file lies in its module's folder`() throws {
        #expect(try file("a.txt").path == folder.file("Tests/Room/Golden/a.txt"))
    }

    @Test func `a caller outside of Tests is refused`() {
        #expect(throws: GoldenError.self) { try GoldenFile(name: "a", caller: "/x/y/z.swift") }
    }

    @Test func `written text matches its golden file, and other text does not`() throws {
        let golden = try file("a.txt")
        try golden.write("one\ntwo\n")
        #expect(try golden.refusal(of: "one\ntwo\n") == nil)
        let refusal = try #require(try golden.refusal(of: "one\nTWO\n"))
        #expect(refusal.contains("  one\n- two\n+ TWO"))
        #expect(refusal.contains("UPDATE_GOLDEN=1"))
    }

    @Test func `text is compared by bytes`() throws {
        let golden = try file("accent.txt")
        try golden.write("caf\u{E9}")
        #expect(try golden.refusal(of: "cafe\u{301}") != nil)
    }

    @Test func `a missing golden file says how to write it`() throws {
        let refusal = try #require(try file("none.txt").refusal(of: ""))
        #expect(refusal.contains("UPDATE_GOLDEN=1"))
    }

    @Test func `text and bytes match the files kept beside these tests`() throws {
        let bytes = (0...255).map(UInt8.init)
        Golden.expect("one\ntwo\n", matches: "lines.txt")
        Golden.expect(bytes: bytes, matches: "bytes.hex")
        #expect(try Golden.bytes(named: "bytes.hex") == bytes)
    }

    @Test(.disabled(if: Golden.isUpdating, "UPDATE_GOLDEN writes the file that should differ"))
    func `a difference is an issue of the test`() {
        withKnownIssue { Golden.expect("one\nTWO\n", matches: "lines.txt") }
    }
}
