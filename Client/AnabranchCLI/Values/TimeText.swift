import Foundation

/// Times in ISO 8601; written in UTC, read with any offset.
///
/// The arithmetic is exact, so that no digit of a `Double` is lost: as many decimals of the second
/// are written as are needed to read the same number again.
enum TimeText {
    /// Seconds from 2001-01-01 to 1970-01-01, both UTC.
    private static let referenceOffset = 978_307_200.0

    /// The text of a time.
    ///
    /// - Parameter seconds: Since 2001-01-01 00:00:00 UTC.
    ///
    /// - Returns: A text such as `2001-01-01T00:00:00Z`. A time outside the years 1 to 9999, or
    ///   that needs more than twelve decimals, is `@` and the seconds.
    static func text(_ seconds: Double) -> String {
        let whole = seconds.rounded(.down)
        // This is the range from 0001-01-01 to 9999-12-31.
        guard whole >= -63_113_904_000, whole < 252_455_616_000 else { return "@\(seconds)" }
        let fraction = seconds - whole
        let base = calendarText(Int(whole) + Int(referenceOffset))
        if fraction == 0 { return base + "Z" }
        for digits in 1...12 {
            let text = base + fractionText(fraction, digits: digits) + "Z"
            if read(text) == seconds { return text }
        }
        return "@\(seconds)"
    }

    /// The text of a time to the second, for people.
    static func short(wallMilliseconds: Int64) -> String {
        let seconds = wallMilliseconds >= 0 ? wallMilliseconds / 1000 : 0
        return calendarText(Int(seconds)) + "Z"
    }

    /// The text of a time to the millisecond; a time before 1970 is written as 1970-01-01.
    static func precise(wallMilliseconds: Int64) -> String {
        let wallMilliseconds = max(wallMilliseconds, 0)
        let base = calendarText(Int(wallMilliseconds / 1000))
        let milliseconds = String(wallMilliseconds % 1000)
        return base + "." + String(repeating: "0", count: max(0, 3 - milliseconds.count))
            + milliseconds + "Z"
    }

    private static func fractionText(_ fraction: Double, digits: Int) -> String {
        let power = pow(10, Double(digits))
        let number = String(Int(min((fraction * power).rounded(), power - 1)))
        return "." + String(repeating: "0", count: digits - number.count) + number
    }

    /// The date and the time of day.
    ///
    /// - Parameter seconds: Since 1970-01-01 UTC.
    private static func calendarText(_ seconds: Int) -> String {
        let day = Int((Double(seconds) / 86400).rounded(.down))
        let second = seconds - day * 86400
        let (year, month, date) = civil(daysSince1970: day)
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T"
            + time.joined(separator: ":")
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Source: Hinnant, as above, `days_from_civil`.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// Reads `2024-05-01`, `2024-05-01T12:30`, `2024-05-01T12:30:15.25+02:00`, `@123.5`.
    ///
    /// A time without an offset is UTC.
    ///
    /// - Returns: Seconds since 2001-01-01 UTC; `nil` for other texts and for dates that do not
    ///   exist.
    static func read(_ text: String) -> Double? {
        if text.hasPrefix("@") { return ValueText.readDouble(String(text.dropFirst())) }
        var text = text
        return text.withUTF8 { read(TimeScanner($0)) }
    }

    private static func read(_ scanner: consuming TimeScanner) -> Double? {
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2),
            scanner.take("-"), let day = scanner.digits(2), year >= 1,
            (1...12).contains(month), (1...daysOf(month, year)).contains(day),
            let time = scanner.timeOfDay()
        else { return nil }
        let whole = days(year: year, month: month, day: day) * 86400 + time.seconds
        return Double(whole) - referenceOffset + time.fraction
    }

    private static func daysOf(_ month: Int, _ year: Int) -> Int {
        if month == 2 {
            return year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                ? 29 : 28
        }
        return switch month {
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
