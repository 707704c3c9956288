import AnabranchReplication
import TestSupport
import Testing

@Suite struct CounterTests {
    @Test(arguments: [WireType.integer64, .decimal], TestLength.seeds(240))
    func `a sum is commutative and associative, null its zero`(type: WireType, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // The values are arbitrary, also those that no reader accepts.
        let values = (0..<3).map { _ in
            generator.oneIn(4)
                ? generator.value(of: .init(rawValue: 8), replicas: [])
                : generator.oneIn(4)
                    ? generator.value(of: type, replicas: []) : generator.delta(of: type)
        }
        let (a, b, c) = (values[0], values[1], values[2])
        func sum(_ left: PropertyValue, _ right: PropertyValue) -> PropertyValue {
            Counter.sum(left, right, of: type)
        }
        #expect(sum(a, b) == sum(b, a))
        #expect(sum(sum(a, b), c) == sum(a, sum(b, c)))
        #expect(sum(sum(a, .null), .null) == sum(.null, a))
        let whole = sum(sum(a, b), c)
        #expect(whole.isNull || Counter.counts(whole, as: type))
        if Counter.counts(a, as: type) { #expect(sum(a, .null) == a) }
    }

    @Test(arguments: [WireType.integer64, .decimal], TestLength.seeds(240))
    func `a delta turns any value into any other`(type: WireType, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (old, new) = (generator.delta(of: type), generator.delta(of: type))
        for start in [old, .null] {
            let delta = try #require(Counter.delta(from: start, to: new, of: type))
            #expect(Counter.sum(start, delta, of: type) == new)
        }
        #expect(Counter.delta(from: old, to: .null, of: type) == nil)
        #expect(Counter.delta(from: old, to: .string("1"), of: type) == nil)
    }

    @Test func `integers wrap at 64 bits`() {
        let cases: [(Int64, Int64, Int64)] = [
            (2, 3, 5), (2, -3, -1), (.max, 1, .min), (.min, -1, .max), (.min, .min, 0),
        ]
        for (first, second, sum) in cases {
            #expect(
                Counter.sum(.integer(first), .integer(second), of: .integer64) == .integer(sum))
        }
    }

    @Test func `decimals are exact and wrap at half of 10^20`() throws {
        let cases = [
            ("0.1", "0.2", "0.3"), ("-1", "0.999999999999999999", "-1e-18"), ("5", "-5", "0"),
            ("49999999999999999999.999999999999999999", "1e-18", "-5e19"),
            ("-5e19", "-1e-18", "49999999999999999999.999999999999999999"),
            ("-5e19", "-5e19", "0"), ("4e19", "4e19", "-2e19"),
        ]
        for (first, second, sum) in cases {
            let values = try [first, second, sum].map {
                PropertyValue.decimal(try #require(ExactDecimal($0)))
            }
            #expect(Counter.sum(values[0], values[1], of: .decimal) == values[2])
        }
    }

    @Test func `only what fits the unit and the bounds counts`() throws {
        let cases = [
            ("0", true), ("-5e19", true), ("5e19", false), ("-5.0000000000000000001e19", false),
            ("1e-18", true), ("1e-19", false), ("1.5e-18", false), ("1e127", false),
            ("99999999999999999999999999999999999999", false),
            ("-99999999999999999999999999999999999999e-18", false),
            ("-99999999999999999999999999999999999999e-19", false),
        ]
        for (text, counts) in cases {
            let value = PropertyValue.decimal(try #require(ExactDecimal(text)))
            #expect(Counter.counts(value, as: .decimal) == counts, "\(text)")
            #expect(!Counter.counts(value, as: .integer64))
        }
        #expect(Counter.counts(.integer(.min), as: .integer64))
        for type in [WireType.integer64, .decimal, .integer16, .double] {
            for value in [PropertyValue.null, .double(1), .unknown(tag: 90, bytes: [])] {
                #expect(!Counter.counts(value, as: type))
            }
        }
    }
}
