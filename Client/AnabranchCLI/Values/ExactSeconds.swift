/// A number of seconds since 2001-01-01 00:00:00 UTC as whole seconds and a decimal fraction.
///
/// Texts of times are converted by way of this form, so that a `Double` is rounded once, and not
/// again when a fraction or the distance of two epochs is added.
struct ExactSeconds {
    /// The seconds, rounded down.
    let whole: Int
    /// The decimal digits of the fraction that is added; empty for a whole number.
    let fraction: String

    /// Seconds from 2001-01-01 to 1970-01-01, both UTC.
    static let from2001To1970 = -978_307_200

    /// The seconds of the years 1 to 9999.
    static let years = -63_113_904_000..<252_455_616_000

    init(whole: Int, fraction: String = "") {
        self.whole = whole
        self.fraction = fraction.withoutTrailingZeros
    }

    /// Creates the number from its sign and the digits of its magnitude.
    init(isNegative: Bool, whole: Int, fraction: String) {
        let digits = fraction.withoutTrailingZeros
        guard isNegative else {
            self.init(whole: whole, fraction: digits)
            return
        }
        self.init(
            whole: digits.isEmpty ? -whole : -whole - 1, fraction: Self.complement(of: digits))
    }

    /// Creates the number with the fewest digits that identify a double.
    ///
    /// - Returns: `nil` for a double that has a sign or an exponent which this form lacks: −0.0,
    ///   very large and very small numbers, infinities and NaN.
    init?(_ seconds: Double) {
        guard seconds != 0 || seconds.sign == .plus else { return nil }
        let parts = "\(seconds.magnitude)".split(separator: ".")
        guard parts.count == 2, let whole = Int(parts[0]), Int(parts[1]) != nil else { return nil }
        self.init(isNegative: seconds < 0, whole: whole, fraction: String(parts[1]))
    }

    static func + (seconds: ExactSeconds, whole: Int) -> ExactSeconds {
        ExactSeconds(whole: seconds.whole + whole, fraction: seconds.fraction)
    }

    var nearest: Double {
        guard !fraction.isEmpty else { return Double(whole) }
        let text =
            whole >= 0
            ? "\(whole).\(fraction)" : "-\(-(whole + 1)).\(Self.complement(of: fraction))"
        guard let number = Double(text) else {
            preconditionFailure("The digits '\(text)' are no number.")
        }
        return number
    }

    /// The digits of 1 minus a fraction.
    ///
    /// - Parameter digits: The digits of the fraction; the last one is not zero.
    private static func complement(of digits: String) -> String {
        var bytes = digits.utf8.map { UInt8(ascii: "9") - ($0 - UInt8(ascii: "0")) }
        if let last = bytes.indices.last { bytes[last] += 1 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate var withoutTrailingZeros: String {
        guard last == "0" else { return self }
        let significant = utf8.count - utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        return String(prefix(significant))
    }
}
