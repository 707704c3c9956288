/// Reads the text of a decimal number, independent of any locale and without rounding.
struct DecimalScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    /// Reads the whole text.
    ///
    /// - Returns: The digits, the exponent of ten and the sign. The result is `nil` unless the
    ///   whole text is one number of at most 38 significant digits.
    mutating func scan() -> (digits: UInt128, exponent: Int, isNegative: Bool)? {
        let isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        let whole = takeDigits()
        let fraction = take(UInt8(ascii: ".")) ? takeDigits() : []
        guard !(whole.isEmpty && fraction.isEmpty), let power = scanExponent() else { return nil }
        guard rest.isEmpty else { return nil }
        return Self.number(whole: whole, fraction: fraction, power: power)
            .map { ($0.digits, $0.exponent, isNegative) }
    }

    private mutating func scanExponent() -> Int? {
        guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return 0 }
        let isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        let digits = takeDigits()
        guard !digits.isEmpty else { return nil }
        let significant = digits.drop { $0 == 0 }
        guard significant.count <= 6 else { return nil }
        let magnitude = significant.reduce(0) { $0 * 10 + Int($1) }
        return isNegative ? -magnitude : magnitude
    }

    private static func number(
        whole: [UInt8], fraction: [UInt8], power: Int
    ) -> (digits: UInt128, exponent: Int)? {
        var significant = Array((whole + fraction).drop { $0 == 0 })
        var exponent = power - fraction.count
        while significant.last == 0 {
            significant.removeLast()
            exponent += 1
        }
        guard significant.count <= 38 else { return nil }
        return (significant.reduce(UInt128(0)) { $0 * 10 + UInt128($1) }, exponent)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func takeDigits() -> [UInt8] {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest.removeFirst(digits.count)
        return digits.map { $0 - UInt8(ascii: "0") }
    }
}
