import AnabranchReplication

/// Times as text in ISO 8601 with milliseconds, in UTC.
enum ShownTime {
    /// The milliseconds since 1970 of the years 1 to 9999, which ISO 8601 writes with four digits.
    private static let years = -62_135_596_800_000.0..<253_402_300_800_000.0

    /// The text of a time from whole milliseconds, which a `Date` would round.
    ///
    /// - Parameter wallMilliseconds: Since 1970-01-01 UTC, not negative.
    static func text(wallMilliseconds: Int64) -> String {
        years.contains(Double(wallMilliseconds))
            ? CalendarText.text(wallMilliseconds: wallMilliseconds)
            : "\(wallMilliseconds) ms since 1970"
    }

    /// The text of a date's value, rounded down to milliseconds.
    ///
    /// A date that has no such text is shown by its number.
    static func text(secondsSince2001 seconds: Double) -> String {
        let since1970 = seconds + Double(CalendarText.from1970To2001)
        guard years.contains(since1970 * 1000) else { return "\(seconds) s since 2001" }
        let whole = since1970.rounded(.down)
        let milliseconds = ((since1970 - whole) * 1000).rounded(.down)
        return CalendarText.text(wallMilliseconds: Int64(whole) * 1000 + Int64(milliseconds))
    }
}
