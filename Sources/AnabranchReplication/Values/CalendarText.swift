/// Texts of times in ISO 8601, in UTC and the Gregorian calendar of all times.
///
/// Foundation is not asked, because the text must be the same on every platform and in every
/// version, and because its calendars take many times as long.
package enum CalendarText {
    /// The seconds from 1970-01-01 to 2001-01-01.
    package static let from1970To2001: Int64 = 978_307_200

    /// The text of a time to the millisecond, such as `2001-01-01T00:00:00.250Z`.
    ///
    /// - Parameter wallMilliseconds: Since 1970-01-01 UTC.
    package static func text(wallMilliseconds: Int64) -> String {
        let (seconds, milliseconds) = divided(wallMilliseconds, by: 1000)
        return text(secondsSince2001: seconds - from1970To2001) + "."
            + "\(1000 + milliseconds)".dropFirst() + "Z"
    }

    /// The date and the time of day, such as `2001-01-01T00:00:00`.
    ///
    /// - Parameter seconds: Since 2001-01-01 00:00:00 UTC.
    package static func text(secondsSince2001 seconds: Int64) -> String {
        let (day, second) = divided(seconds, by: 86_400)
        let date = date(onDay: day)
        let time = [second / 3600, second / 60 % 60, second % 60]
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
            + time.map { padded($0, 2) }.joined(separator: ":")
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
