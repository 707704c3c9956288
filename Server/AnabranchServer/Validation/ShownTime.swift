import Foundation

/// Times as text in ISO 8601 with milliseconds, in UTC.
enum ShownTime {
    private static let secondsFrom1970To2001 = 978_307_200.0
    /// The seconds since 1970 of the years 1 to 9999, which ISO 8601 writes with four digits.
    private static let years = -62_135_596_800.0..<253_402_300_800.0

    /// The text of a time from whole milliseconds, which a `Date` would round.
    ///
    /// Every line of a log has one, and Foundation's calendars take many times as long.
    ///
    /// - Parameter wallMilliseconds: Since 1970-01-01 UTC, not negative.
    static func text(wallMilliseconds: Int64) -> String {
        let (seconds, milliseconds) = wallMilliseconds.quotientAndRemainder(dividingBy: 1000)
        guard years.contains(Double(seconds)) else { return "\(wallMilliseconds) ms since 1970" }
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        let text = String(unsafeUninitializedCapacity: 20) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                guard let address = text.baseAddress else { return 0 }
                return strftime(address, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
            }
        }
        return text + "." + "\(1000 + milliseconds)".dropFirst() + "Z"
    }

    /// The text of a date's value, rounded down to milliseconds.
    ///
    /// A date that has no such text is shown by its number.
    static func text(secondsSince2001 seconds: Double) -> String {
        let since1970 = seconds + secondsFrom1970To2001
        guard years.contains(since1970) else { return "\(seconds) s since 2001" }
        let whole = since1970.rounded(.down)
        let milliseconds = Int(((since1970 - whole) * 1000).rounded(.down))
        let text = Date(timeIntervalSince1970: whole).formatted(.iso8601)
        return text.dropLast() + "." + "\(1000 + milliseconds)".dropFirst() + "Z"
    }
}
