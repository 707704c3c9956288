#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PropertyValue {
    /// The value as the text that an attribute shows after its type was changed to text.
    ///
    /// The form is part of the format: it never changes, and different values have different texts,
    /// except that all NaN have one.
    ///
    /// - Integers and decimals: the digits, without leading zeros and separators, such as `-12` and
    ///   `0.5`; see ``ExactDecimal/description``.
    /// - Doubles: the shortest digits that are read back as the same number, such as `0.1`, `1.0`,
    ///   `1e-07`, `inf` and `nan`. A float has the shortest digits among floats.
    /// - Booleans: `true` and `false`.
    /// - Dates: ISO 8601 in UTC with all decimals of the seconds, such as
    ///   `2001-01-01T00:00:00.25Z`. A date that has no such form has its seconds since 2001, as a
    ///   double.
    /// - UUIDs: 36 characters with capital letters. URIs: their text.
    /// - Bytes: Base64.
    ///
    /// - Parameter type: The type of the attribute that holds the value.
    /// - Returns: `nil` if the value has no printed form: null, a reference, a group, or a value of
    ///   a later format.
    package func printedForm(as type: WireType) -> String? {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): Self.printed(number, isFloat: type == .float)
        case .decimal(let number): number.description
        case .string(let text), .uri(let text): text
        case .date(let seconds): PrintedDate(seconds)?.text ?? Self.printed(seconds)
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .null, .reference, .group, .unknown: nil
        }
    }

    private static func printed(_ number: Double, isFloat: Bool = false) -> String {
        if number.isNaN { return "nan" }
        return isFloat ? "\(Float(number))" : "\(number)"
    }
}

/// A date in ISO 8601 with all decimals of its seconds.
private struct PrintedDate {
    /// Seconds since 2001-01-01 00:00:00 UTC, rounded down.
    private let seconds: Int64
    /// The decimals of the seconds; empty for a whole number.
    private let decimals: String

    private static let years = -63_113_904_000.0..<252_423_993_600.0

    /// - Returns: `nil` if the year is not in 1…9999, or if the seconds have more than 18 decimals.
    init?(_ date: Double) {
        guard Self.years.contains(date), let exact = ExactDecimal("\(date)"), exact.exponent >= -18
        else { return nil }
        let places = max(-Int(exact.exponent), 0)
        let scale = (0..<places).reduce(UInt128(1)) { power, _ in power * 10 }
        let zeros = (0..<max(Int(exact.exponent), 0)).reduce(UInt128(1)) { power, _ in power * 10 }
        var (whole, part) = (exact.digits * zeros).quotientAndRemainder(dividingBy: scale)
        if exact.isNegative, part > 0 { (whole, part) = (whole + 1, scale - part) }
        seconds = exact.isNegative ? -Int64(whole) : Int64(whole)
        let digits = String(part)
        decimals =
            part == 0 ? "" : String(repeating: "0", count: places - digits.count) + digits
    }

    var text: String {
        CalendarText.text(secondsSince2001: seconds) + (decimals.isEmpty ? "" : "." + decimals)
            + "Z"
    }
}
