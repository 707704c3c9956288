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

/// A date in ISO 8601, in UTC and the Gregorian calendar of all times.
///
/// Foundation is not asked, because the text must be the same on every platform and in every
/// version.
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
        let (day, second) = Self.divided(seconds, by: 86_400)
        let date = Self.date(onDay: day)
        let time = [second / 3600, second / 60 % 60, second % 60]
        let dashed = Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-"
        return dashed + Self.padded(date.day, 2) + "T"
            + time.map { Self.padded($0, 2) }.joined(separator: ":")
            + (decimals.isEmpty ? "" : "." + decimals) + "Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    /// Divides and rounds down.
    private static func divided(
        _ number: Int64, by divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The date of a day counted from 2001-01-01.
    ///
    /// Years are counted from March, so the leap day is the last day of its year, and the calendar
    /// repeats every 400 years.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    private static func date(onDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // 730,791 days lie between 0000-03-01 and 2001-01-01.
        let (era, dayOfEra) = divided(day + 730_791, by: 146_097)
        let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * march + 2) / 5 + 1)
    }
}
