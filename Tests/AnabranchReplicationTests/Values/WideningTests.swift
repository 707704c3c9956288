import AnabranchReplication
import Foundation
import Testing

@Suite struct `A value of a former type` {
    private func widened(_ value: PropertyValue, _ former: WireType, _ type: WireType)
        -> PropertyValue?
    {
        type.widened(value, of: former)
    }

    @Test(arguments: [Int64(Int16.min), -1, 0, Int64(Int16.max)])
    func `is the same number as a wider integer, a double and a decimal`(number: Int64) {
        let value = PropertyValue.integer(number)
        #expect(widened(value, .integer16, .integer32) == value)
        #expect(widened(value, .integer16, .integer64) == value)
        #expect(widened(value, .integer16, .double) == .double(Double(number)))
        #expect(widened(value, .integer16, .decimal) == .decimal(ExactDecimal(number)))
        #expect(widened(value, .integer16, .string) == .string("\(number)"))
    }

    @Test func `is exact as a decimal, and the nearest double, at the ends of its range`() {
        for number in [.min, .max, 1 << 53 + 1] as [Int64] {
            #expect(
                widened(.integer(number), .integer64, .decimal) == .decimal(ExactDecimal(number)))
            #expect(widened(.integer(number), .integer64, .string) == .string("\(number)"))
        }
        #expect(widened(.integer(1 << 53), .integer64, .double) == .double(0x1p53))
        #expect(widened(.integer(1 << 53 + 1), .integer64, .double) == .double(0x1p53))
        #expect(widened(.integer(.min), .integer64, .double) == .double(-0x1p63))
    }

    @Test func `is null if it is null, and nothing if this version does not know it`() {
        #expect(widened(.null, .integer16, .string) == .null)
        #expect(widened(.unknown(tag: 200, bytes: [1]), .integer16, .integer32) == nil)
        #expect(widened(.integer(1), .integer32, .integer16) == nil)
        #expect(widened(.string("1"), .string, .integer64) == nil)
        #expect(widened(.double(1), .double, .float) == nil)
        #expect(widened(.double(0.1), .double, .decimal) == nil)
        #expect(widened(.bool(true), .bool, .integer16) == nil)
    }

    private static let printed: [(PropertyValue, WireType, String)] = [
        (.bool(true), .bool, "true"), (.bool(false), .bool, "false"),
        (.integer(-32768), .integer16, "-32768"), (.integer(0), .integer64, "0"),
        (.double(1), .double, "1.0"), (.double(0.1), .double, "0.1"),
        (.double(-0.0), .double, "-0.0"), (.double(1e16), .double, "1e+16"),
        (.double(0x1p53), .double, "9007199254740992.0"),
        (.double(0x1p53 + 2), .double, "9.007199254740994e+15"),
        (.double(0x1p24), .float, "16777216.0"), (.double(0x1p24 + 2), .float, "1.6777218e+07"),
        (.double(0.0001), .double, "0.0001"), (.double(0.00001), .double, "1e-05"),
        (.double(.nan), .double, "nan"),
        (.double(-.nan), .double, "nan"), (.double(.infinity), .double, "inf"),
        (.double(-.infinity), .double, "-inf"),
        (.double(.leastNonzeroMagnitude), .double, "5e-324"),
        (.double(.greatestFiniteMagnitude), .double, "1.7976931348623157e+308"),
        (.double(Double(Float(0.1))), .float, "0.1"),
        (.double(Double(Float(0.1))), .double, "0.10000000149011612"),
        (.decimal(ExactDecimal("-12.50")!), .decimal, "-12.5"),
        (.decimal(ExactDecimal("1e40")!), .decimal, "1e+40"),
        (.date(0), .date, "2001-01-01T00:00:00Z"),
        (.date(0.25), .date, "2001-01-01T00:00:00.25Z"),
        (.date(-0.25), .date, "2000-12-31T23:59:59.75Z"),
        (.date(-1), .date, "2000-12-31T23:59:59Z"),
        (.date(700_000_000.123), .date, "2023-03-08T20:26:40.123Z"),
        (.date(-31_535_999), .date, "2000-01-02T00:00:01Z"),
        (.date(-63_113_904_000), .date, "0001-01-01T00:00:00Z"),
        (.date(252_423_993_599), .date, "9999-12-31T23:59:59Z"),
        (.date(252_423_993_600), .date, "252423993600.0"),
        (.date(1e-30), .date, "1e-30"), (.date(.nan), .date, "nan"),
        (.date(5_097_600), .date, "2001-03-01T00:00:00Z"),
        (.date(99_705_600), .date, "2004-02-29T00:00:00Z"),
        (.data(Data()), .data, ""), (.data(Data([0, 255, 16])), .data, "AP8Q"),
        (
            .uuid(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f")!), .uuid,
            "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        ),
        (.uri("https://example.org/%C3%A9"), .uri, "https://example.org/%C3%A9"),
    ]

    /// These texts are part of the format: a text that another version prints would be another
    /// value on another replica.
    @Test(arguments: `A value of a former type`.printed.indices)
    func `has one printed form for ever`(place: Int) {
        let (value, type, text) = Self.printed[place]
        #expect(widened(value, type, .string) == .string(text))
    }

    @Test func `prints dates as Foundation does`() {
        for day in stride(from: -300_000, to: 300_000, by: 997) {
            let seconds = Double(day) * 86_400 + 45_296
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            // Before 1582 Foundation may use another calendar.
            guard seconds > -13_197_600_000 else { continue }
            #expect(widened(.date(seconds), .date, .string) == .string(date.formatted(.iso8601)))
        }
    }
}

@Suite struct `A property with former properties` {
    private let stamps = (1...3 as ClosedRange<UInt64>).map {
        Stamp(timestamp: HybridTimestamp(rawValue: $0), replica: ReplicaID(high: 1, low: 1))
    }
    private let property = WireProperty(name: "age", type: .string)

    private func cell(_ value: PropertyValue, _ type: WireType, _ stamp: Int)
        -> CanonicalRecord.Cell
    {
        .init(
            property: WireProperty(name: "age", type: type), value: value, stamp: stamps[stamp])
    }

    @Test func `shows the latest of them, unless its own is as late`() {
        let cells = [cell(.integer(1), .integer16, 0), cell(.double(2), .double, 1)]
        let record = RecordID(replica: ReplicaID(high: 0, low: 1), number: 1)
        #expect(cells.former(of: property, in: record) == cell(.string("2.0"), .string, 1))
        let own = cells + [cell(.string("x"), .string, 0)]
        #expect(own.former(of: property, in: record) == cell(.string("2.0"), .string, 1))
        let late = cells + [cell(.string("x"), .string, 1)]
        #expect(late.former(of: property, in: record) == nil)
        #expect([cell(.string("x"), .string, 0)].former(of: property, in: record) == nil)
    }

    @Test func `continues properties of its name, and a narrower type or another rule`() {
        #expect(property.continues(WireProperty(name: "age", type: .integer16)))
        #expect(property.continues(WireProperty(name: "age", type: .integer16, rule: .max)))
        #expect(property.continues(WireProperty(name: "age", type: .string, rule: .keepBoth)))
        #expect(
            !WireProperty(name: "age", type: .links).continues(
                WireProperty(name: "age", type: .links, rule: .keepBoth)))
        #expect(!property.continues(WireProperty(name: "old", type: .integer16)))
        #expect(!property.continues(property))
        #expect(!property.continues(WireProperty(name: "age", type: .reference)))
        #expect(!property.continues(WireProperty(name: "age", type: .integer16, rule: .group)))
        #expect(
            !property.continues(WireProperty(name: "age", type: .integer64, rule: .counter)))
    }
}
