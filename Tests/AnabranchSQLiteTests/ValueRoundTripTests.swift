import AnabranchSQLite
import TestSupport
import Testing

struct ValueRoundTripTests {
    private func echo(_ value: SQLiteValue) throws -> SQLiteValue? {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (v)")
        try connection.run("INSERT INTO t VALUES (?)", value)
        return try connection.firstValue("SELECT v FROM t")
    }

    @Test(
        arguments: [
            .null, 0, -1, .integer(.min), .integer(.max), 1.5, .real(-0.0), .real(.infinity),
            .real(.leastNonzeroMagnitude), "", "a\0b", "\0", "näïve 🌊 e\u{301}", .blob([]),
            .blob([0, 255, 0]), .text(String(repeating: "x", count: 15)),
            .text(String(repeating: "é", count: 5_000)),
        ] as [SQLiteValue])
    func `a value comes back as it went in`(value: SQLiteValue) throws {
        #expect(try echo(value) == value)
    }

    @Test(arguments: 0...33)
    func `a text of any length reads the same where SQLite has it`(count: Int) throws {
        let ascii = (0..<count).map { UInt8(ascii: "A") + UInt8($0) }
        var texts = [ascii]
        for index in ascii.indices {
            for byte in [0, 0x7F, 0x80, 0xFF] as [UInt8] {
                texts.append(ascii)
                texts[texts.count - 1][index] = byte
            }
            texts.append(Array(ascii[..<index]) + Array("é🌊".utf8))
        }
        let statement = try Connection(path: ":memory:").prepare("SELECT CAST(? AS TEXT)")
        for bytes in texts {
            try statement.bind(bytes, at: 1)
            #expect(try statement.step())
            let text = statement.unsafeColumn(at: 0).string
            let expected = String(decoding: bytes, as: UTF8.self)
            #expect(text.utf8.elementsEqual(expected.utf8) && text == expected)
            #expect(text.hashValue == expected.hashValue && text.utf8.count == expected.utf8.count)
            #expect(text + "!" == expected + "!")
            statement.reset()
        }
    }

    @Test func `a NaN is stored as null`() throws {
        #expect(try echo(.real(.nan)) == .null)
    }

    @Test func `a large blob comes back whole`() throws {
        var generator = SeededGenerator(seed: 7)
        let bytes = (0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(try echo(.blob(bytes)) == .blob(bytes))
    }

    @Test func `an empty blob and an empty text are not null`() throws {
        let connection = try Connection(path: ":memory:")
        let statement = try connection.prepare("SELECT ?, ?, ?, typeof(?1), typeof(?2)")
        try statement.bind([UInt8](), at: 1)
        try statement.bind("", at: 2)
        try statement.bind(nil, at: 3)
        #expect(try statement.step())
        #expect(statement.type(at: 0) == .blob)
        #expect(statement.type(at: 1) == .text)
        #expect(statement.isNull(at: 2))
        #expect(!statement.isNull(at: 0))
        #expect(statement.string(at: 3) == "blob")
        #expect(statement.string(at: 4) == "text")
        #expect(statement.bytes(at: 0).isEmpty)
        #expect(statement.withBytes(at: 0) { $0.count } == 0)
    }

    @Test func `text that is not UTF-8 is repaired`() throws {
        let connection = try Connection(path: ":memory:")
        let statement = try connection.prepare("SELECT CAST(x'61FF62C3' AS TEXT)")
        #expect(try statement.step())
        #expect(statement.type(at: 0) == .text)
        #expect(statement.string(at: 0) == "a\u{FFFD}b\u{FFFD}")
    }

    @Test func `readers convert as SQLite does`() throws {
        let connection = try Connection(path: ":memory:")
        let statement = try connection.prepare("SELECT '42', 7, NULL, 2.5")
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 42)
        #expect(statement.string(at: 1) == "7")
        #expect(statement.int64(at: 2) == 0)
        #expect(statement.string(at: 2) == "")
        #expect(statement.double(at: 3) == 2.5)
        #expect(statement.isNull(at: 99))
        #expect(statement.columnCount == 4)
    }

    @Test func `bytes are lent without a copy and bound without one`() throws {
        let connection = try Connection(path: ":memory:")
        let statement = try connection.prepare("SELECT ?, ?")
        let text = Array("river".utf8)
        try text.withUnsafeBytes { bytes in
            try statement.unsafeBindBlob(UnsafeRawBufferPointer(rebasing: bytes[1...]), at: 2)
            #expect(try statement.step())
            #expect(statement.withBytes(at: 1) { Array($0) } == Array("iver".utf8))
            statement.reset()
        }
    }

    @Test(arguments: TestLength.seeds(80))
    func `random rows come back in order`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
        var expected: [[SQLiteValue]] = []
        let insert = try connection.cached("INSERT INTO t (a, b) VALUES (?, ?)")
        for _ in 0..<100 {
            let row = [Self.random(&generator), Self.random(&generator)]
            expected.append(row)
            try insert.bind(row[0], at: 1)
            try insert.bind(row[1], at: 2)
            try insert.run()
        }
        #expect(try connection.rows("SELECT a, b FROM t ORDER BY id") == expected)
    }

    private static func random(_ generator: inout SeededGenerator) -> SQLiteValue {
        let length = Int.random(in: 0...40, using: &generator)
        switch Int.random(in: 0...4, using: &generator) {
        case 0: return .null
        case 1: return .integer(.random(in: .min ... .max, using: &generator))
        case 2: return .real(.random(in: -1e9...1e9, using: &generator))
        case 3:
            let scalars = (0..<length).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
            }
            return .text(String(String.UnicodeScalarView(scalars)))
        default:
            return .blob((0..<length).map { _ in .random(in: 0...255, using: &generator) })
        }
    }
}
