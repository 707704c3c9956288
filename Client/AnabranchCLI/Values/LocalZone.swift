import AnabranchModel
import Foundation

/// The time zone of times that have no offset.
struct LocalZone {
    /// The answer of the zone's clocks for a local time.
    enum Offset {
        /// Seconds east of UTC.
        case known(Int)
        /// Clocks were moved forward over the time.
        case missing
        /// Clocks were moved back over the time, so it was there twice.
        case twice
    }

    let name: String
    private let zone: TimeZone

    /// Finds a zone by its name, such as `Europe/Berlin`, or by an offset, such as `+02:00`.
    ///
    /// - Throws: ``UsageError`` for an unknown zone.
    init(_ text: String, _ arguments: ParsedArguments) throws(UsageError) {
        name = text
        if let offset = Self.offset(text), let zone = TimeZone(secondsFromGMT: offset) {
            self.zone = zone
            return
        }
        let names = TimeZone.knownTimeZoneIdentifiers + ["UTC"]
        guard names.contains(text), let zone = TimeZone(identifier: text) else {
            let meant = NearestWord.suggestion(for: text, among: names)
            throw arguments.error(
                "There is no time zone '\(text)'. "
                    + (meant.map { "Did you mean \($0)?" }
                        ?? "Type a name, such as Europe/Berlin, or an offset, such as +02:00."))
        }
        self.zone = zone
    }

    private static func offset(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = TimeScanner(bytes)
            guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
            return offset
        }
    }

    /// The offset of a time without one.
    ///
    /// A day alone begins with its first moment, also where clocks are moved at midnight.
    func offset(of time: CalendarTime) -> Offset {
        let local = time.localSeconds
        // No zone has moved its clocks twice within two days, and no offset is more than a day.
        let before = offset(at: local - 86400)
        let after = offset(at: local + 86400)
        let matching = Set([before, after].filter { offset(at: local - $0) == $0 })
        if let only = matching.first, matching.count == 1 { return .known(only) }
        guard time.secondOfDay == nil else { return matching.isEmpty ? .missing : .twice }
        // The greater offset is the earlier of two moments.
        if let earlier = matching.max() { return .known(earlier) }
        let first = local - before
        let day = (first + offset(at: first)) / 86400
        return day == time.day ? .known(before) : .missing
    }

    /// The offset at a moment, in seconds since 1970-01-01 UTC.
    private func offset(at moment: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
    }
}
