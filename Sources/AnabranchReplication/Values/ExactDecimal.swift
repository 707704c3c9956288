#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decimal number of at most 38 digits, exact through save, predicate, sort and sync.
///
/// Kept without trailing zeros, so equal numbers have equal bytes: ±digits × 10^exponent. Longer
/// input is an error; Foundation's `Decimal(string:)` cuts it in silence.
public struct ExactDecimal: Hashable, Sendable {
    // Two words, not one UInt128, whose alignment would widen every `Value` by eight bytes.
    private let digitsHigh: UInt64
    private let digitsLow: UInt64
    public let exponent: Int16
    public let isNegative: Bool

    /// The digits as one integer, below 10^38.
    public var digits: UInt128 { UInt128(digitsHigh) << 64 | UInt128(digitsLow) }

    /// Exponents that a value may have once trailing zeros are gone, those of `Decimal`.
    public static let exponents: ClosedRange<Int> = -128...127
    public static let greatestDigits: UInt128 = {
        (0..<38).reduce(UInt128(1)) { power, _ in power * 10 } - 1
    }()

    public static let zero = ExactDecimal(digits: 0, exponent: 0, isNegative: false)!

    /// - Returns: `nil` where digits or exponent are out of bounds once trailing zeros are gone.
    public init?(digits: UInt128, exponent: Int, isNegative: Bool) {
        var digits = digits
        var exponent = exponent
        while digits != 0, digits.isMultiple(of: 10) {
            digits /= 10
            exponent += 1
        }
        if digits == 0 { exponent = 0 }
        // A large exponent may be paid for with digits, as Decimal's own form does.
        guard digits <= Self.greatestDigits, Self.exponents.contains(exponent) else { return nil }
        digitsHigh = UInt64(truncatingIfNeeded: digits >> 64)
        digitsLow = UInt64(truncatingIfNeeded: digits)
        self.exponent = Int16(exponent)
        self.isNegative = isNegative && digits != 0
    }

    public init(_ integer: Int64) {
        self = ExactDecimal(
            digits: UInt128(integer.magnitude), exponent: 0, isNegative: integer < 0)!
    }

    /// - Returns: `nil` for NaN.
    public init?(_ decimal: Decimal) {
        self.init(decimal.description)
    }

    /// The same number as Foundation has it.
    public var decimal: Decimal {
        // 38 digits and these exponents are what Decimal holds, so the text is always read.
        Decimal(string: description) ?? 0
    }
}

extension ExactDecimal: LosslessStringConvertible {
    /// Plain where it stays short, else with an exponent: `-12.5`, `1e+40`.
    public var description: String {
        let text = String(digits)
        let sign = isNegative ? "-" : ""
        let exponent = Int(exponent)
        if exponent >= 0 {
            guard text.count + exponent <= 38 else { return "\(sign)\(text)e+\(exponent)" }
            return sign + text + String(repeating: "0", count: exponent)
        }
        guard -exponent <= 38 else { return "\(sign)\(text)e\(exponent)" }
        if text.count > -exponent {
            return sign + text.dropLast(-exponent) + "." + text.suffix(-exponent)
        }
        return sign + "0." + String(repeating: "0", count: -exponent - text.count) + text
    }

    /// Reads `-12.50`, `.5`, `1e3`; anything else, or more than 38 significant digits, is `nil`.
    public init?(_ description: String) {
        var scanner = DecimalScanner(description)
        guard let (digits, exponent, isNegative) = scanner.scan() else { return nil }
        self.init(digits: digits, exponent: exponent, isNegative: isNegative)
    }
}

extension ExactDecimal: Comparable {
    public static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative
            ? right.hasSmallerMagnitude(than: left) : left.hasSmallerMagnitude(than: right)
    }

    private func hasSmallerMagnitude(than other: ExactDecimal) -> Bool {
        if digits == 0 || other.digits == 0 { return digits == 0 && other.digits != 0 }
        let own = Array(String(digits).utf8)
        let others = Array(String(other.digits).utf8)
        let leading = own.count + Int(exponent)
        let otherLeading = others.count + Int(other.exponent)
        if leading != otherLeading { return leading < otherLeading }
        // Without trailing zeros, equal leading places compare like the digits themselves.
        return own.lexicographicallyPrecedes(others)
    }
}
