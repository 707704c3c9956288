/// A time as a text gives it: a day, and perhaps a time of day and an offset from UTC.
struct CalendarTime {
    /// Days since 1970-01-01.
    let day: Int
    /// `nil` for a day alone.
    var secondOfDay: Int?
    /// The decimal digits of the second's fraction.
    var fraction = ""
    /// The offset in seconds east of UTC; `nil` if the text has none.
    var offset: Int?

    /// The whole seconds since 1970-01-01 00:00:00, both by clocks with the time's own offset.
    var localSeconds: Int { day * 86400 + (secondOfDay ?? 0) }

    /// The moment in seconds since 2001-01-01 UTC.
    ///
    /// - Parameter offset: Seconds east of UTC.
    func moment(at offset: Int) -> Double {
        ExactSeconds(
            whole: localSeconds - offset + ExactSeconds.from2001To1970, fraction: fraction
        ).nearest
    }
}
