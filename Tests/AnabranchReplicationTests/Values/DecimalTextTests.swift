import AnabranchReplication
import TestSupport
import Testing

@Suite struct DecimalTextTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", -0.0), ("007", 7), ("-12.50", -12.5), (".5", 0.5), ("5.", 5),
            ("+3", 3), ("1e3", 1000), ("1E-3", 0.001), ("0e-999", 0), ("0.000", 0),
            ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("5e-324", .leastNonzeroMagnitude), ("inf", .infinity), ("-Infinity", -.infinity),
        ] as [(String, Double)])
    func `a number in decimal digits is read`(text: String, number: Double) {
        #expect(Double(decimalText: text)?.bitPattern == number.bitPattern)
    }

    @Test(arguments: [
        "", "-", ".", "e5", "1e", "1,5", " 1", "1 ", "0x10", "-0X1p3", "0x", "nan(0x1)", "nan(1)",
        "1.2.3", "--1", "1e999", "-1e999", "1e-999", "-0.1e-999", "one", "1_000",
    ])
    func `a text that is no such number is refused`(text: String) {
        #expect(Double(decimalText: text) == nil)
    }

    @Test func `not a number is read by its name`() {
        #expect(Double(decimalText: "nan")?.isNaN == true)
    }

    @Test(arguments: TestLength.seeds(1200))
    func `the description of a double gives the same double`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let number = Double(bitPattern: generator.next())
        guard !number.isNaN else { return }
        #expect(Double(decimalText: "\(number)")?.bitPattern == number.bitPattern)
    }
}
