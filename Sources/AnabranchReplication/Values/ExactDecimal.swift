#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decimal number of at most 38 digits that save, predicate, sort and sync keep exactly.
///
/// It is ±digits × 10^exponent without trailing zeros in the digits, so equal numbers have equal
/// bytes. A longer number is refused; Foundation's `Decimal(string:)` would cut it silently.
public struct ExactDecimal: Hashable, Sendable {
    // Two words and not one UInt128, which would enlarge every `PropertyValue` by eight bytes of
    // alignment.
    private let digitsHigh: UInt64
    private let digitsLow: UInt64
    /// The exponent of ten, from −128.
    package let exponent: Int16
    /// Indicates whether the number is less than zero.
    package let isNegative: Bool

    /// The digits as one integer, below 10^38.
    package var digits: UInt128 { UInt128(digitsHigh) << 64 | UInt128(digitsLow) }

    /// The greatest digits, 10^38 − 1.
    package static let greatestDigits = powerOfTen(38) - 1

    /// The number zero.
    public static let zero = ExactDecimal(Int64(0))

    /// Creates a number from digits, exponent and sign.
    ///
    /// The bounds are those of Foundation's `Decimal`: 38 digits × 10^−128…10^127. An exponent
    /// above 127 is allowed if the number has so many fewer digits.
    ///
    /// - Returns: `nil` if the number is out of bounds after trailing zeros were removed.
    package init?(digits: UInt128, exponent: Int, isNegative: Bool) {
        // There are at most this many trailing zeros, and the sum below can't overflow.
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

    /// Creates a number from an integer.
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

    /// Creates a number from Foundation's `Decimal`.
    ///
    /// - Returns: `nil` for NaN and for more than 38 digits, which some values of `Decimal` have.
    public init?(_ decimal: Decimal) {
        self.init(decimal.description)
    }

    /// The same number as a `Decimal` of Foundation.
    public var decimal: Decimal {
        // `Decimal` reads exponents only up to 127, so a greater one becomes zeros.
        let zeros = max(Int(exponent) - 127, 0)
        let digits = digits * Self.powerOfTen(zeros)
        let text = "\(isNegative ? "-" : "")\(digits)e\(Int(exponent) - zeros)"
        // The text is within the range of `Decimal`, so it can always be read.
        return Decimal(string: text) ?? .nan
    }
}

extension ExactDecimal: LosslessStringConvertible {
    /// The number as text, such as `-12.5` or `1e+40`.
    ///
    /// It has an exponent only if it would otherwise need more than 38 digits before or after the
    /// point.
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

    /// Reads a number such as `-12.50`, `.5` or `1e3`.
    ///
    /// - Returns: `nil` for any other text, and for more than 38 significant digits.
    public init?(_ description: String) {
        var scanner = DecimalScanner(description)
        guard let (digits, exponent, isNegative) = scanner.scan() else { return nil }
        self.init(digits: digits, exponent: exponent, isNegative: isNegative)
    }
}

extension ExactDecimal: Comparable {
    /// Compares two numbers exactly.
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
        // The digits have no trailing zeros, so numbers of equal length compare like their digits.
        return own.lexicographicallyPrecedes(others)
    }
}
