import Anabranch
import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

@Suite struct ValueTextTests {
    @Test(arguments: [
        (0.0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
        (0.5, "2001-01-01T00:00:00.5Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
        (-978_307_199.999999, "1970-01-01T00:00:00.000001Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"), (5_270_400, "2001-03-03T00:00:00Z"),
        (725_760_000, "2024-01-01T00:00:00Z"), (730_857_600, "2024-02-29T00:00:00Z"),
    ])
    func `times are written as the calendar has them`(seconds: Double, text: String) {
        #expect(TimeText.text(seconds) == text)
        #expect(TimeText.read(text) == seconds)
    }

    @Test(
        arguments: [
            (Int64.min, "1970-01-01T00:00:00.000Z"), (-1, "1970-01-01T00:00:00.000Z"),
            (0, "1970-01-01T00:00:00.000Z"), (1_700_000_000_001, "2023-11-14T22:13:20.001Z"),
            (1 << 47, "6429-10-17T02:45:55.328Z"),
        ] as [(Int64, String)])
    func `times of logs are written to the millisecond`(milliseconds: Int64, text: String) {
        #expect(TimeText.precise(wallMilliseconds: milliseconds) == text)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `any number of milliseconds is written as some time`(milliseconds: Int64) {
        for text in [
            TimeText.precise(wallMilliseconds: milliseconds),
            TimeText.short(wallMilliseconds: milliseconds),
        ] { #expect(text.hasSuffix("Z") && !text.contains("-1Z")) }
    }

    @Test(arguments: [
        ("2024-02-29", 730_857_600.0), ("2024-02-29T02:00+02:00", 730_857_600),
        ("2024-02-28T22:30:00-0130", 730_857_600), ("2024-02-29 00:00:01.5Z", 730_857_601.5),
        ("@-12.5", -12.5), ("2024-02-29 02:00:00+02", 730_857_600),
    ])
    func `times are read with offsets`(text: String, seconds: Double) {
        #expect(TimeText.read(text) == seconds)
    }

    @Test(arguments: [
        "", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-32", "24-01-01", "2024-1-1",
        "2024-01-01T24:00", "2024-01-01T10:60", "2024-01-01T", "2024-01-01T10:00:00.Z",
        "2024-01-01T10:00+25:00", "2024-01-01T10:00Zz", "tomorrow", "@", "0000-01-01",
    ])
    func `a time that no calendar has is refused`(text: String) {
        #expect(TimeText.read(text) == nil)
    }

    @Test(arguments: TestLength.seeds(800))
    func `a time is read as it was written, to the last bit`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let scale = pow(10, Double.random(in: -3...12, using: &random))
        let seconds = Double.random(in: -1...1, using: &random) * scale
        #expect(TimeText.read(TimeText.text(seconds))?.bitPattern == seconds.bitPattern)
    }

    @Test(arguments: [-0.0, 1e-5, -1e-20, .leastNonzeroMagnitude, 1e300, 736_259_400.123_456_72])
    func `a time that no decimals of a second give keeps every bit`(seconds: Double) {
        #expect(TimeText.read(TimeText.text(seconds))?.bitPattern == seconds.bitPattern)
    }

    @Test(arguments: [
        (AttributeType.integer16, "32767", PropertyValue.integer(32767)),
        (.integer64, "-9223372036854775808", .integer(.min)),
        (.double, "1e300", .double(1e300)), (.float, "0.1", .double(Double(Float(0.1)))),
        (.boolean, "yes", .bool(true)), (.boolean, "FALSE", .bool(false)),
        (.string, "", .string("")), (.binary, "AAE=", .data(Data([0, 1]))),
        (.transformable, "AAE=", .data(Data([0, 1]))),
    ])
    func `texts are read by type`(type: AttributeType, text: String, value: PropertyValue) {
        #expect(ValueText.read(text, as: type) == value)
    }

    @Test(arguments: [
        (AttributeType.integer16, "32768"), (.integer32, "1.0"), (.integer64, ""),
        (.integer64, "9223372036854775808"), (.double, "one"), (.float, "1e300"),
        (.decimal, "1234567890123456789012345678901234567890.5"), (.boolean, "maybe"),
        (.binary, "???"), (.transformable, "red"), (.uuid, "123"), (.date, "yesterday"),
        (.double, "1e999"),
        (.double, "-1e999"), (.float, "1e999"), (.date, "@1e999"), (.date, "1700000000"),
        (.double, "0x10"), (.float, "0x1p3"), (.double, "nan(0x1)"), (.date, "@0x10"),
        (.integer64, "0x10"), (.decimal, "0x10"), (.double, "1e-400"), (.float, "1e-60"),
    ])
    func `text that is no value of the type is refused`(type: AttributeType, text: String) {
        #expect(ValueText.read(text, as: type) == nil)
    }

    @Test func `decimals keep every digit, in JSON as text`() throws {
        let digits = "12345678901234567890123456789012345.678"
        let value = try #require(ValueText.read(.number(digits), as: .decimal))
        #expect(ValueText.text(value) == digits)
        #expect(ValueText.json(value) == "\"\(digits)\"")
    }

    @Test func `JSON of another kind is refused`() {
        #expect(ValueText.read(.number("1"), as: .string) == nil)
        #expect(ValueText.read(.bool(true), as: .integer64) == nil)
        #expect(ValueText.read(.array([]), as: .string) == nil)
        #expect(ValueText.read(.null, as: .string) == .null)
        #expect(ValueText.read(.number("1700000000"), as: .date) == nil)
        #expect(ValueText.read(.number("1e999"), as: .double) == nil)
        #expect(ValueText.read(.string("inf"), as: .double) == .double(.infinity))
        #expect(ValueText.read(.string("-infinity"), as: .float) == .double(-.infinity))
        #expect(ValueText.json(.double(.nan)) == "\"nan\"")
    }

    @Test func `a key is composed of columns`() throws {
        let arguments = ParsedArguments(command: "import", values: [:], words: [:])
        let row = ["code": ["BD-01"], "parent": ["B"], "many": ["FR", "DE"]]
        func keys(_ template: String) throws -> [String] {
            try KeyTemplate(template, arguments).keys { row[$0] ?? [] }
        }
        #expect(try keys("code") == ["BD-01"])
        #expect(try keys("code[2]") == ["BD"])
        #expect(try keys("{code[3]}{parent}") == ["BD-B"])
        #expect(try keys("{code[2]}/{nothing}") == [])
        #expect(try keys("many") == ["FR", "DE"])
        for broken in ["", "code[x]", "code[0]", "[2]", "{code", "{}"] {
            #expect(throws: UsageError.self) { try KeyTemplate(broken, arguments) }
        }
    }
}
