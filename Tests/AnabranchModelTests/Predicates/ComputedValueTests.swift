import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchModel

/// Tests of computed values, regular expressions and the order of texts by themselves.
struct ComputedValueTests {
    @Test(arguments: TestLength.seeds(50))
    func `a reduction does not depend on the order of the values`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var values = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
            let number = Double.random(in: -1...1, using: &generator)
            let exponent = Int.random(in: -300...300, using: &generator)
            return PropertyValue.double(number * pow(10, Double(exponent)))
        }
        if generator.oneIn(4) { values.append(.integer(.random(in: .min ... .max))) }
        for reduction in ValueReduction.allCases {
            let expected = reduction(values, isDecimal: false)
            for _ in 0..<5 {
                values.shuffle(using: &generator)
                #expect(reduction(values, isDecimal: false) == expected, "\(reduction)")
            }
        }
    }

    @Test func `sums of doubles are rounded once`() {
        let tenths = Array(repeating: PropertyValue.double(0.1), count: 10)
        #expect(ValueReduction.sum(tenths, isDecimal: false) == .double(1))
        let large: [PropertyValue] = [.double(1e100), .double(1), .double(-1e100)]
        #expect(ValueReduction.sum(large, isDecimal: false) == .double(1))
        let infinite: [PropertyValue] = [.double(.infinity), .double(-.infinity)]
        #expect(ValueReduction.sum(infinite, isDecimal: false) == .null)
        let integers: [PropertyValue] = [.integer(.max), .integer(.max), .integer(-.max), .null]
        #expect(ValueReduction.sum(integers, isDecimal: false) == .integer(.max))
        #expect(
            ValueReduction.sum([.integer(.max), .integer(1)], isDecimal: false) == .double(0x1p63))
        #expect(ValueReduction.sum([], isDecimal: true) == .decimal(.zero))
    }

    @Test func `the parts of a time are those of a time zone`() throws {
        // 2026-03-31 22:30 UTC.
        let time = PropertyValue.date(796_689_000)
        func parts(_ zone: String, at time: PropertyValue) -> [PropertyValue] {
            [ValueFunction.year, .month, .day].map { $0([time, .string(zone)]) }
        }
        #expect(parts("UTC", at: time) == [.integer(2026), .integer(3), .integer(31)])
        #expect(parts("Europe/Berlin", at: time) == [.integer(2026), .integer(4), .integer(1)])
        #expect(parts("America/New_York", at: time) == [.integer(2026), .integer(3), .integer(31)])
        #expect(parts("Nowhere", at: time) == [.null, .null, .null])
        for seconds in [-1e300, -7e10, 3e11, .infinity, .nan] {
            #expect(parts("UTC", at: .date(seconds)) == [.null, .null, .null])
        }
        #expect(parts("UTC", at: .date(-63_113_817_600))[0] == .integer(1))
        #expect(parts("Pacific/Kiritimati", at: .date(252_423_907_200))[0] == .integer(9999))
    }

    @Test func `integers are computed exactly, and decimals to 38 digits`() throws {
        #expect(
            ValueFunction.power([.integer(3), .integer(39)]) == .integer(4_052_555_153_018_976_267))
        #expect(ValueFunction.power([.integer(3), .integer(40)]) == .double(pow(3, 40)))
        #expect(ValueFunction.divide([.integer(-7), .integer(2)]) == .integer(-3))
        #expect(ValueFunction.divide([.integer(.min), .integer(-1)]) == .double(0x1p63))
        #expect(ValueFunction.modulus([.integer(.min), .integer(-1)]) == .integer(0))
        #expect(ValueFunction.modulus([.integer(1), .integer(0)]) == .null)
        #expect(ValueFunction.negate([.integer(.min)]) == .double(0x1p63))
        let (one, three) = (
            PropertyValue.decimal(ExactDecimal(1)), PropertyValue.decimal(ExactDecimal(3))
        )
        guard case .decimal(let third) = ValueFunction.divide([one, three]) else {
            Issue.record("no decimal")
            return
        }
        #expect(third.description == "0." + String(repeating: "3", count: 38))
        #expect(ValueFunction.divide([one, .decimal(.zero)]) == .null)
        #expect(ValueFunction.squareRoot([.integer(-1)]) == .null)
        #expect(ValueFunction.add([.date(1), .integer(2)]) == .date(3))
        #expect(ValueFunction.add([.null, .integer(2)]) == .null)
    }

    @Test(arguments: ["(a+)+b", "(a|aa)+$", "(.*)*x", "(a?){40}a{40}"])
    func `no pattern takes for ever`(pattern: String) throws {
        let expression = try RegularExpression(pattern)
        let start = ContinuousClock.now
        // Either an answer or an error is right; a search without a limit would take years.
        _ = try? expression.matches(String(repeating: "a", count: 5000) + "!")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `all searches of a fetch share their steps`() throws {
        let expression = try RegularExpression("(.*)(.*)(.*)(.*)z")
        let text = String(repeating: "ab", count: 15)
        let matcher = try RegularExpressionMatcher(expression)
        // One text is no problem, and a million of them would take many minutes.
        #expect(throws: FetchPredicateError.self) {
            for _ in 0..<1_000_000 { _ = try matcher.matches(text) }
        }
        #expect(try !expression.matches(text))
        // What is simple has no limit that a store could reach.
        let simple = try RegularExpressionMatcher(RegularExpression(".*b.*"))
        for _ in 0..<200_000 { #expect(try simple.matches(text)) }
    }

    @Test func `an expression matches the whole text, and may be copied by many threads`()
        async throws
    {
        let expression = try RegularExpression("a|ab", options: [.caseInsensitive])
        #expect(try expression.matches("AB") && !expression.matches("abc"))
        #expect(try RegularExpression("").matches("") && !RegularExpression("").matches("a"))
        #expect(try RegularExpression("e", options: .diacriticInsensitive).matches("é"))
        #expect(try RegularExpression("(?x) a # the rest is a comment").matches("a"))
        #expect(throws: FetchPredicateError.self) { try RegularExpression("(a") }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { _ in (try? expression.matches("aB")) == true }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `sort keys order texts by letters first, then by marks, then by case`() {
        func isLess(_ left: String, _ right: String, _ options: ComparisonOptions = []) -> Bool {
            LocaleOrder.key(of: left, options).lexicographicallyPrecedes(
                LocaleOrder.key(of: right, options))
        }
        #expect(isLess("a", "B") && isLess("a", "á") && isLess("á", "b") && isLess("a", "A"))
        #expect(isLess("item 10", "item 9") && isLess("item 9", "item 10", .numeric))
        #expect(!isLess("a", "A", .caseInsensitive) && !isLess("A", "a", .caseInsensitive))
        #expect(isLess("a", "á", .caseInsensitive) && !isLess("a", "á", .diacriticInsensitive))
        #expect(isLess("a", "A", .diacriticInsensitive))
    }
}
