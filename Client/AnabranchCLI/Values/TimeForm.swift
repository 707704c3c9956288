import AnabranchReplication

/// A form in which an input writes times.
enum TimeForm {
    case iso8601
    case count(TimeCount)
    case pattern(TimePattern)

    /// The content of a text in some form.
    enum Reading {
        case calendar(CalendarTime)
        /// Seconds since 2001-01-01 UTC.
        case moment(Double)
    }

    private static let isoName = "iso8601"

    /// The forms that have names; every other form is a pattern.
    static let names = [isoName] + TimeCount.allCases.map(\.rawValue)

    /// Finds the form with a name, or else reads a pattern.
    ///
    /// - Throws: ``UsageError`` for a text that is neither.
    init(_ text: String, _ arguments: ParsedArguments) throws(UsageError) {
        if text == Self.isoName {
            self = .iso8601
        } else if let count = TimeCount(rawValue: text) {
            self = .count(count)
        } else {
            self = .pattern(try TimePattern(text, arguments))
        }
    }

    /// Reads a text.
    ///
    /// - Returns: `nil` if the text has another form, or names a time that does not exist.
    func time(of text: String) -> Reading? {
        switch self {
        case .iso8601:
            if text.hasPrefix("@") {
                return Double(decimalText: String(text.dropFirst())).map { .moment($0) }
            }
            return Self.scan(text, Self.isoTime).map { .calendar($0) }
        case .count(let count): return count.time(of: text).map { .moment($0.nearest) }
        case .pattern(let pattern): return Self.scan(text, pattern.time).map { .calendar($0) }
        }
    }

    private static func scan(
        _ text: String, _ body: (inout TimeScanner) -> CalendarTime?
    ) -> CalendarTime? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = TimeScanner(bytes)
            guard let time = body(&scanner), scanner.isAtEnd else { return nil }
            return time
        }
    }

    private static func isoTime(_ scanner: inout TimeScanner) -> CalendarTime? {
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2),
            scanner.take("-"), let date = scanner.digits(2),
            let day = CalendarDay.day(year: year, month: month, date: date)
        else { return nil }
        var time = CalendarTime(day: day)
        if scanner.isAtEnd { return time }
        guard scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2),
            hour < 24, minute < 60
        else { return nil }
        var second = 0
        if scanner.take(":") {
            guard let read = scanner.digits(2), read < 60 else { return nil }
            second = read
            if scanner.take(".") {
                guard let fraction = scanner.fraction() else { return nil }
                time.fraction = fraction
            }
        }
        time.secondOfDay = hour * 3600 + minute * 60 + second
        if scanner.isAtEnd { return time }
        guard let offset = scanner.offset() else { return nil }
        time.offset = offset
        return time
    }
}
