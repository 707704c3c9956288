/// Days of the Gregorian calendar, which is used for all times.
enum CalendarDay {
    /// The day with a date.
    ///
    /// - Returns: Days since 1970-01-01; `nil` if the years 1 to 9999 have no such day.
    static func day(year: Int, month: Int, date: Int) -> Int? {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...length(of: month, year)).contains(date)
        else { return nil }
        return days(year: year, month: month, day: date)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        if month == 2 {
            return year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                ? 29 : 28
        }
        return switch month {
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }
}
