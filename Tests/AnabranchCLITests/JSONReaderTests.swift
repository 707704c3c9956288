import TestSupport
import Testing

@testable import AnabranchCLI

@Suite struct JSONReaderTests {
    private func value(_ text: String) throws -> JSONValue {
        let parser = JSONParser(ByteSource(bytes: Array(text.utf8)))
        let value = try parser.value()
        #expect(try parser.peekToken() == nil, "all of it was read")
        return value
    }

    private func rows(_ text: String, member: String? = nil) throws -> [[String]] {
        var reader = try JSONRowReader(ByteSource(bytes: Array(text.utf8)), member: member)
        var rows: [[String]] = []
        while let row = try reader.next() { rows.append(row.cells.map(\.name)) }
        #expect(try reader.next() == nil)
        return rows
    }

    private func place(_ text: String, member: String? = nil) -> InputPlace? {
        #expect(throws: InputError.self, "\(text)") { try rows(text, member: member) }?.place
    }

    @Test func `every kind of value`() throws {
        #expect(try value(" null ") == .null)
        #expect(try value("true") == .bool(true))
        #expect(try value("[]") == .array([]))
        #expect(try value("{ }") == .object([]))
        #expect(
            try value("[1, -0.5e+3 ,\"a\"]")
                == .array([.number("1"), .number("-0.5e+3"), .string("a")]))
        let digits = "123456789012345678901234567890.12345678"
        #expect(try value(digits) == .number(digits))
    }

    /// The largest record has 880 MiB; base64 has four characters for three bytes.
    @Test func `a value that a record may have fits, and the message names the limit`() {
        #expect(JSONParser.largestValue > (880 << 20) / 3 * 4 + (1 << 20))
        #expect(CSVParser.largestField == JSONParser.largestValue)
        let parser = JSONParser(ByteSource(bytes: Array("\"too long\"".utf8)))
        let error = #expect(throws: InputError.self) { try parser.string(limit: 5) }
        #expect(error?.message.contains("2.0 GiB") == true)
        let digits = JSONParser(
            ByteSource(bytes: Array(repeating: UInt8(ascii: "1"), count: 5_000)))
        let long = #expect(throws: InputError.self) { try digits.value() }
        #expect(long?.message.contains("4096 characters") == true)
    }

    @Test(arguments: [("\"", "\""), ("[1,\"", "\"]"), ("{\"a\":\"", "\"}"), ("{\"", "\":1}")])
    func `a value may take as much as the limit, and the refusal of a larger one names it`(
        start: String, end: String
    ) throws {
        let limit = 1 << 10
        func read(_ byteCount: Int) throws -> JSONValue {
            let inside = String(
                repeating: "x", count: byteCount - start.utf8.count - end.utf8.count)
            let source = ByteSource(bytes: Array((start + inside + end).utf8))
            return try JSONParser(source, valueLimit: limit).value()
        }
        _ = try read(limit)
        // What closes the value does not count.
        let error = #expect(throws: InputError.self) { try read(limit + 1 + end.utf8.count) }
        #expect(error?.message.contains("more than 1.0 KiB") == true, "\(error?.message ?? "")")
    }

    @Test func `escapes and surrogate pairs`() throws {
        #expect(
            try value(#""\"\\\/\b\f\n\r\t\u00e9\ud83c\uDDEB""#)
                == .string("\"\\/\u{8}\u{c}\n\r\té🇫"))
        for broken in [#""\ud83c""#, #""\ud83c\u0041""#, #""\udc00""#, #""\u12g4""#, #""\x""#] {
            #expect(throws: InputError.self) { try value(broken) }
        }
    }

    @Test(arguments: [
        "01", "-", "1.", "1e", ".5", "+1", "nul", "True", "'a'", "[1,]", "[1 2]", "{\"a\"}",
        "{\"a\":1,}", "{a:1}", "\"\n\"", "\"open", "[", "{", "", "[1", "NaN", "\u{FEFF}\u{FEFF}1",
    ])
    func `text that is not JSON is refused`(text: String) {
        #expect(throws: InputError.self) { try value(text) }
    }

    @Test func `depth is bounded`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: InputError.self) { try value(deep) }
        let allowed = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        _ = try value(allowed)
    }

    @Test func `records come from an array, from lines and from a member`() throws {
        #expect(try rows("[{\"a\":1},{\"b\":2,\"c\":3}]") == [["a"], ["b", "c"]])
        #expect(try rows("{\"a\":1}\n{\"b\":2}\n\n") == [["a"], ["b"]])
        #expect(
            try rows("{\"x\":{\"y\":[1]},\"z\":[{\"a\":1}, {\"b\":2}]}", member: "z") == [
                ["a"], ["b"],
            ])
        #expect(try rows("[]") == [])
        #expect(try rows("  ") == [])
    }

    @Test func `errors name line and column`() {
        #expect(place("[{\"a\":1},\n {\"a\" 2}]") == InputPlace(line: 2, column: 7))
        #expect(place("[1]") == InputPlace(line: 1, column: 2))
        #expect(place("[{\"a\":1} {\"a\":2}]") == InputPlace(line: 1, column: 10))
        #expect(place("[{\"a\":1,\"a\":2}]") == InputPlace(line: 1, column: 13))
        #expect(place("{\"x\":[]}", member: "y") == InputPlace(line: 1, column: 9))
    }

    @Test func `text after the records is checked too`() throws {
        #expect(try rows("[{\"a\":1}]\n ") == [["a"]])
        let around = "{\"x\":[{\"a\":1}], \"y\": {\"x\":2}}\n"
        #expect(try rows(around, member: "x") == [["a"]])
        #expect(place("[{\"a\":1}] end") == InputPlace(line: 1, column: 11))
        #expect(place("[{\"a\":1}][{\"b\":2}]") == InputPlace(line: 1, column: 10))
        for broken in ["", ",", ",\"y\":1", "}{", "} {\"x\":[]}", ",\"x\":[]}", " 1}", ",\"y\"}"] {
            #expect(place("{\"x\":[{\"a\":1}]" + broken, member: "x") != nil, "\(broken)")
        }
    }

    @Test(arguments: TestLength.seeds(160))
    func `a string is read back as it was written`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scalars = (0..<40).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
        }
        let text = String(String.UnicodeScalarView(scalars))
        #expect(try value(JSONText.quoted(text)) == .string(text))
    }

    @Test(arguments: TestLength.seeds(320))
    func `no bytes trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let choices = Array("[]{}\",:0e-.\\untrfals ".utf8) + [0xFF, 0xC3, 0]
        let bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
            choices.randomElement(using: &random) ?? 0
        }
        do {
            var reader = try JSONRowReader(ByteSource(bytes: bytes))
            while try reader.next() != nil {}
        } catch {
            #expect(error is InputError)
        }
    }
}
