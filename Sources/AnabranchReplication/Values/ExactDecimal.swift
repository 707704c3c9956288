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

    public static let greatestDigits = powerOfTen(38) - 1

    public static let zero = ExactDecimal(Int64(0))

    /// The bounds are those of Foundation's `Decimal`: 38 digits × 10^−128…10^127, where an
    /// exponent above 127 is paid for with digits that are not used.
    ///
    /// - Returns: `nil` where the number is out of bounds once trailing zeros are gone.
    public init?(digits: UInt128, exponent: Int, isNegative: Bool) {
        // No more zeros than these can go, and the sum below can't overflow.
        guard digits != 0 else {
            self = .zero
            return
        }
        guard (-128 - 38...127 + 37).contains(exponent) else { return nil }
        let (digits, zeros) = Self.withoutTrailingZeros(digits)
        let excess = max(exponent + zeros - 127, 0)
        guard exponent + zeros >= -128, excess <= 37,
            digits <= Self.greatestDigits / Self.powerOfTen(excess)
        else { return nil }
        self.init(canonical: digits, exponent: exponent + zeros, isNegative: isNegative)
    }

    public init(_ integer: Int64) {
        let (digits, zeros) = Self.withoutTrailingZeros(UInt128(integer.magnitude))
        self.init(canonical: digits, exponent: zeros, isNegative: integer < 0)
    }

    private init(canonical digits: UInt128, exponent: Int, isNegative: Bool) {
        digitsHigh = UInt64(truncatingIfNeeded: digits >> 64)
        digitsLow = UInt64(truncatingIfNeeded: digits)
        self.exponent = Int16(exponent)
        self.isNegative = isNegative
    }

    private static func withoutTrailingZeros(_ number: UInt128) -> (digits: UInt128, zeros: Int) {
        guard number != 0 else { return (0, 0) }
        var digits = number
        var zeros = 0
        while digits.isMultiple(of: 10) {
            digits /= 10
            zeros += 1
        }
        return (digits, zeros)
    }

    private static func powerOfTen(_ exponent: Int) -> UInt128 {
        (0..<exponent).reduce(UInt128(1)) { power, _ in power * 10 }
    }

    /// - Returns: `nil` for NaN and for more than 38 digits, of which `Decimal` holds some.
    public init?(_ decimal: Decimal) {
        self.init(decimal.description)
    }

    /// The same number as Foundation has it.
    public var decimal: Decimal {
        // `Decimal` reads exponents up to 127 only, so larger ones are given as zeros.
        let zeros = max(Int(exponent) - 127, 0)
        let digits = digits * Self.powerOfTen(zeros)
        let text = "\(isNegative ? "-" : "")\(digits)e\(Int(exponent) - zeros)"
        // The text is within what Decimal holds, so it is always read.
        return Decimal(string: text) ?? .nan
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
