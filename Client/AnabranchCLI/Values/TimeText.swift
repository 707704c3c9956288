import AnabranchReplication

/// Times in ISO 8601; written in UTC, read with any offset.
///
/// The arithmetic is exact, so that no digit of a `Double` is lost: as many decimals of the second
/// are written as are needed to read the same number again.
enum TimeText {
    /// The text of a time.
    ///
    /// - Parameter seconds: Since 2001-01-01 00:00:00 UTC.
    ///
    /// - Returns: A text such as `2001-01-01T00:00:00Z`. A time outside the years 1 to 9999 is `@`
    ///   and the seconds, and so is −0.0 or a number that Swift writes with an exponent.
    static func text(_ seconds: Double) -> String {
        guard let exact = ExactSeconds(seconds), ExactSeconds.years.contains(exact.whole) else {
            return "@\(seconds)"
        }
        return CalendarText.text(secondsSince2001: Int64(exact.whole))
            + (exact.fraction.isEmpty ? "" : ".\(exact.fraction)") + "Z"
    }

    /// The text of a time to the second, for people.
    static func short(wallMilliseconds: Int64) -> String {
        let seconds = wallMilliseconds >= 0 ? wallMilliseconds / 1000 : 0
        return CalendarText.text(secondsSince2001: seconds - CalendarText.from1970To2001) + "Z"
    }

    /// The text of a time to the millisecond; a time before 1970 is written as 1970-01-01.
    static func precise(wallMilliseconds: Int64) -> String {
        CalendarText.text(wallMilliseconds: max(wallMilliseconds, 0))
    }

    /// Reads `2024-05-01`, `2024-05-01T12:30`, `2024-05-01T12:30:15.25+02:00`, `@123.5`.
    ///
    /// A time without an offset is UTC.
    ///
    /// - Returns: Seconds since 2001-01-01 UTC; `nil` for other texts and for dates that do not
    ///   exist.
    static func read(_ text: String) -> Double? {
        switch TimeForm.iso8601.time(of: text) {
        case .calendar(let time): time.moment(at: time.offset ?? 0)
        case .moment(let seconds): seconds
        case nil: nil
        }
    }
}
