import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

@Suite struct CSVParserTests {
    private func records(_ text: String) throws -> [[String]] {
        try records(Array(text.utf8))
    }

    private func records(_ bytes: [UInt8]) throws -> [[String]] {
        let parser = CSVParser(ByteSource(bytes: bytes))
        var found: [[String]] = []
        while let record = try parser.next() { found.append(record.fields.map(\.text)) }
        return found
    }

    private func error(_ text: String) -> InputError? {
        #expect(throws: InputError.self) { try records(text) }
    }

    @Test func `RFC 4180's own examples`() throws {
        #expect(
            try records("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n") == [
                ["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"],
            ])
        #expect(
            try records("aaa,bbb,ccc\r\nzzz,yyy,xxx") == [
                ["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"],
            ])
        #expect(
            try records("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx") == [
                ["aaa", "b\r\nbb", "ccc"], ["zzz", "yyy", "xxx"],
            ])
        #expect(try records("\"aaa\",\"b\"\"bb\",\"ccc\"") == [["aaa", "b\"bb", "ccc"]])
    }

    @Test func `a byte order mark is no text`() throws {
        #expect(try records([0xEF, 0xBB, 0xBF] + Array("a,b\n".utf8)) == [["a", "b"]])
    }

    @Test func `empty fields, empty lines and spaces`() throws {
        #expect(try records("a,,\n\n\r\n ,b\n") == [["a", "", ""], [" ", "b"]])
        #expect(try records("") == [])
        #expect(try records("\"\"") == [[""]])
    }

    @Test func `an empty field in quotes is distinguished from a missing one`() throws {
        let parser = CSVParser(ByteSource(bytes: Array("\"\",".utf8)))
        let fields = try #require(try parser.next()).fields
        #expect(fields.map(\.isQuoted) == [true, false])
    }

    @Test func `errors name line and column`() throws {
        #expect(error("a,b\nc,d\"e\n")?.place == InputPlace(line: 2, column: 4))
        #expect(error("a\n\"b\"c\n")?.place == InputPlace(line: 2, column: 4))
        #expect(error("a\nx,\"open\nand so on\n")?.place == InputPlace(line: 2, column: 3))
        #expect(error("ä,b\rc")?.place == InputPlace(line: 1, column: 4))
    }

    @Test func `bytes that are not UTF-8 are refused with line and column`() {
        let error = #expect(throws: InputError.self) {
            try records(Array("a,".utf8) + [0xC3, 0x28])
        }
        #expect(error?.place == InputPlace(line: 1, column: 3))
        #expect(error?.message.contains("UTF-8") == true)
    }

    @Test(arguments: TestLength.seeds(20))
    func `a file read in pieces gives the records that are in it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = ["a", "é", "🌊", "b,", "\"", "\n", " ", "text"]
        let expected = (0..<3000).map { _ in
            (0..<3).map { _ in
                (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    parts[Int.random(in: 0..<parts.count, using: &random)]
                }.joined()
            }
        }
        let lines = expected.map { fields in
            fields.map { field in
                let isQuoted = field.contains { [",", "\"", "\n"].contains($0) }
                return isQuoted ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
            }.joined(separator: ",")
        }
        let folder = try TemporaryDirectory("anabranch-cli")
        try Data(lines.joined(separator: "\r\n").utf8).write(
            to: folder.url.appending(path: "a.csv"))
        let parser = CSVParser(try ByteSource(path: folder.file("a.csv")))
        var found: [[String]] = []
        while let record = try parser.next(expecting: 3) { found.append(record.fields.map(\.text)) }
        #expect(found == expected)
    }

    /// The file is longer than the piece of it that is in memory.
    @Test(arguments: ["", "\""])
    func `a field may be as long as the limit, and the refusal of a longer one names it`(
        quote: String
    ) throws {
        let folder = try TemporaryDirectory("anabranch-cli")
        let limit = 256 << 10
        func field(_ byteCount: Int) throws -> String? {
            let text = quote + String(repeating: "x", count: byteCount) + quote
            try Data("a,\(text)\n".utf8).write(to: folder.url.appending(path: "a.csv"))
            let parser = CSVParser(
                try ByteSource(path: folder.file("a.csv")), fieldLimit: limit)
            return try parser.next()?.fields.last?.text
        }
        #expect(try field(limit)?.utf8.count == limit)
        let error = #expect(throws: InputError.self) { try field(limit + 1) }
        #expect(error?.place == InputPlace(line: 1, column: 3))
        let message = error?.message ?? ""
        #expect(message.contains("longer than 256.0 KiB"), "\(message)")
    }

    @Test func `a row of another length is named`() throws {
        var rows = try CSVRowReader(ByteSource(bytes: Array("a,b\n1,2\n3\n".utf8), name: "x.csv"))
        _ = try rows.next()
        let error = #expect(throws: InputError.self) { try rows.next() }
        #expect("\(try #require(error))".hasPrefix("x.csv:3:1: The row has 1 fields"))
    }

    @Test func `two columns of one name are refused`() {
        #expect(throws: InputError.self) {
            try CSVRowReader(ByteSource(bytes: Array("a,b,a\n".utf8)))
        }
    }

    @Test(arguments: TestLength.seeds(160))
    func `a table is read back as it was written`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet: [Character] = ["a", "é", "日", "\"", ",", "\n", "\r\n", " ", ";", "🇫🇷"]
        let rows = (0..<Int.random(in: 1...20, using: &random)).map { _ in
            (0..<5).map { _ in
                String(
                    (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                        alphabet.randomElement(using: &random)
                    })
            }
        }
        let text = rows.map { $0.map { CSVText.field($0) }.joined(separator: ",") }
            .joined(separator: "\r\n")
        #expect(try records(text) == rows)
    }

    @Test(arguments: TestLength.seeds(240))
    func `no bytes trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let choices = Array("\",\r\n\"ab\u{0}".utf8) + [0xFF, 0xC3, 0xA9, 0xEF, 0xBB, 0xBF]
        let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
            choices.randomElement(using: &random) ?? 0
        }
        do { _ = try records(bytes) } catch { #expect(error is InputError) }
    }
}
