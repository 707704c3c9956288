import Foundation

/// The Gregorian calendar in a time zone, for the parts of a time.
struct ZonedCalendar {
    private let calendar: Calendar

    /// The calendars that were made. There are some 600 zones.
    private final class Known: @unchecked Sendable {
        // The lock protects the calendars.
        private var calendars: [String: ZonedCalendar] = [:]
        private let lock = NSLock()

        subscript(zone: String) -> ZonedCalendar? {
            get { lock.withLock { calendars[zone] } }
            set { lock.withLock { calendars[zone] = newValue } }
        }
    }

    private static let known = Known()

    /// The years 1 to 9999, in seconds since 2001-01-01 00:00:00 UTC.
    private static let seconds = -63_113_904_000.0...252_423_993_599

    /// Returns the calendar of a time zone.
    ///
    /// - Parameter zone: A name such as `Europe/Zurich` or `GMT+0200`.
    /// - Returns: `nil` if the system has no such time zone.
    static func calendar(in zone: String) -> ZonedCalendar? {
        if let known = known[zone] { return known }
        guard let timeZone = TimeZone(identifier: zone) else { return nil }
        let made = ZonedCalendar(timeZone)
        known[zone] = made
        return made
    }

    private init(_ zone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        self.calendar = calendar
    }

    /// - Parameter seconds: Since 2001-01-01 00:00:00 UTC.
    /// - Returns: `nil` outside of the years 1 to 9999.
    func part(_ part: Calendar.Component, of seconds: Double) -> Int64? {
        guard Self.seconds.contains(seconds) else { return nil }
        return Int64(calendar.component(part, from: Date(timeIntervalSinceReferenceDate: seconds)))
    }
}
