import AnabranchReplication
import Foundation
import TestSupport
import Testing

@Suite struct ExactDecimalTests {
    @Test(arguments: TestLength.seeds(1200))
    func `printing and reading give the same number`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let decimal = generator.decimal()
        #expect(ExactDecimal(decimal.description) == decimal)
        #expect(ExactDecimal(decimal.decimal) == decimal)
    }

    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("0.000", "0"), ("0e9", "0"), ("007", "7"), ("-12.50", "-12.5"),
        (".5", "0.5"), ("5.", "5"), ("+3", "3"), ("1e3", "1000"), ("1E-3", "0.001"),
        ("1e+0000003", "1000"), ("100", "100"), ("1e38", "1e+38"), ("1e37", "1" + zeros(37)),
        ("123e-40", "123e-40"), ("1e-38", "0." + zeros(37) + "1"),
        ("0." + zeros(90) + "1e91", "1"), ("1" + zeros(60) + "e-60", "1"),
    ])
    func `texts are read exactly and printed in one form`(text: String, printed: String) {
        #expect(ExactDecimal(text)?.description == printed)
    }

    @Test(arguments: [
        "", "-", ".", "e5", "1e", "1e+", "1.2.3", "1,5", " 1", "1 ", "0x10", "nan", "inf", "--1",
        "١", "1e1000000", "1e165", "1e-129", "1e99999999999999999999999999",
        "123456789012345678901234567890123456789",
    ])
    func `text that is no number of at most 38 digits is refused`(text: String) {
        #expect(ExactDecimal(text) == nil)
    }

    @Test func `38 digits are kept, 39 refused, zeros cost nothing`() {
        let nines = String(repeating: "9", count: 38)
        #expect(ExactDecimal(nines)?.digits == ExactDecimal.greatestDigits)
        #expect(ExactDecimal(nines)?.description == nines)
        #expect(ExactDecimal("-0." + nines)?.description == "-0." + nines)
        #expect(ExactDecimal(nines + "0000")?.exponent == 4)
        #expect(ExactDecimal(nines + "1") == nil)
        #expect(ExactDecimal("1" + nines) == nil)
    }

    @Test func `every decimal of Foundation within 38 digits has its number here`() throws {
        // The greatest exponent is reached with digits that are not used.
        let large = try #require(Decimal(string: "1" + zeros(37) + "e127"))
        #expect(ExactDecimal(large)?.exponent == 164)
        #expect(ExactDecimal(large)?.decimal == large)
        let nines = String(repeating: "9", count: 38)
        let largest = try #require(Decimal(string: "-\(nines)e127"))
        #expect(ExactDecimal(largest)?.decimal == largest)
        #expect(
            ExactDecimal("12e163") == ExactDecimal(digits: 12, exponent: 163, isNegative: false))
        #expect(ExactDecimal("12e164") == nil)
        let least = try #require(Decimal(string: "1e-128"))
        #expect(ExactDecimal(least)?.decimal == least)
        #expect(ExactDecimal(Decimal.nan) == nil)
        #expect(ExactDecimal(Decimal.greatestFiniteMagnitude) == nil)
    }

    @Test func `extreme exponents are refused without a trap`() {
        for exponent in [Int.min, -1_000, 1_000, Int.max] {
            #expect(ExactDecimal(digits: 10, exponent: exponent, isNegative: false) == nil)
            #expect(ExactDecimal(digits: 0, exponent: exponent, isNegative: true) == .zero)
        }
        #expect(ExactDecimal(digits: .max, exponent: 0, isNegative: false) == nil)
        let power = ExactDecimal.greatestDigits + 1
        #expect(ExactDecimal(digits: power, exponent: -166, isNegative: false)?.exponent == -128)
        #expect(ExactDecimal(digits: power, exponent: -167, isNegative: false) == nil)
    }

    @Test func `there is one zero, and it is not negative`() {
        let zero = ExactDecimal(digits: 0, exponent: 5, isNegative: true)
        #expect(zero == .zero)
        #expect(zero?.isNegative == false)
        #expect(ExactDecimal.zero.decimal == 0)
        #expect(ExactDecimal(Int64(0)) == .zero)
    }

    @Test(arguments: [0, 1, -1, 10, -1_000_000, Int64.min, Int64.max])
    func `integers are exact`(integer: Int64) {
        #expect(ExactDecimal(integer).description == "\(integer)")
        #expect(ExactDecimal(integer) == ExactDecimal("\(integer)"))
    }

    @Test(arguments: TestLength.seeds(800))
    func `the order is that of Foundation's Decimal`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Foundation aligns exponents and rounds if necessary, so these numbers stay within its
        // digits.
        let pair = try (0..<2).map { _ in
            try #require(
                ExactDecimal(
                    digits: UInt128(
                        generator.next() >> UInt64.random(in: 0..<64, using: &generator)),
                    exponent: Int.random(in: -9...8, using: &generator),
                    isNegative: generator.oneIn(2)))
        }
        #expect((pair[0] < pair[1]) == (pair[0].decimal < pair[1].decimal))
        #expect((pair[0] == pair[1]) == (pair[0].decimal == pair[1].decimal))
    }

    @Test func `numbers of very different sizes are in order`() throws {
        let ascending = try [
            "-9e163", "-1e38", "-99999999999999999999999999999999999999",
            "-99999999999999999999999999999999999998", "-12", "-1.2", "-1.19999", "-1e-128", "0",
            "1e-128", "9e-128", "1e-127", "0.1", "0.12", "0.123", "0.2", "1", "1.5", "9", "10",
            "11", "99999999999999999999999999999999999999", "1e38", "1e127", "9e127", "1e128",
        ].map { try #require(ExactDecimal($0)) }
        #expect(ascending.shuffled().sorted() == ascending)
        for (left, right) in zip(ascending, ascending.dropFirst()) {
            #expect(left < right && !(right < left) && left != right)
        }
    }
}

private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
