/// Decides which refused requests get a line in the audit log.
///
/// A client that is refused changes nothing, so no quota bounds how often it comes back. A right
/// therefore has a limited number of lines about refusals by a zone in a minute. The others are
/// counted, and the next line of that right and zone has their number.
struct RefusalLines {
    /// The right that was refused, and the zone that refused it.
    struct Source: Hashable {
        /// The zone; empty for the sources that are not told apart.
        let zone: String
        /// The right; `nil` for a caller in this process.
        let right: AccessHolder?

        /// The sources that are not told apart.
        fileprivate static let others = Source(zone: "", right: nil)
    }

    private struct Window {
        var minute: Int64
        var lineCount = 0
        /// The refusals without a line since the last line.
        var omittedCount = 0
    }

    /// The greatest number of lines of one source in a minute.
    static let mostInMinute = 20
    /// The greatest number of sources that are told apart.
    private static let mostSources = 10_000

    private var windows: [Source: Window] = [:]

    /// Counts a refusal.
    ///
    /// - Returns: The number of earlier refusals of the source that have no line; `nil` if this one
    ///   has none either.
    mutating func admit(_ source: Source, wallMilliseconds: Int64) -> Int? {
        let minute = wallMilliseconds / 60_000
        if windows[source] == nil, windows.count >= Self.mostSources { forget(unlessIn: minute) }
        let isKnown = windows[source] != nil || windows.count < Self.mostSources
        let key = isKnown ? source : .others
        var window = windows[key] ?? Window(minute: minute)
        if window.minute != minute { (window.minute, window.lineCount) = (minute, 0) }
        defer { windows[key] = window }
        guard window.lineCount < Self.mostInMinute else {
            window.omittedCount += 1
            return nil
        }
        window.lineCount += 1
        defer { window.omittedCount = 0 }
        return window.omittedCount
    }

    /// Forgets the sources without a refusal in a minute. What they have omitted counts for the
    /// sources that are not told apart.
    private mutating func forget(unlessIn minute: Int64) {
        let earlier = windows.filter { $0.value.minute != minute }
        for source in earlier.keys { windows[source] = nil }
        let omitted = earlier.values.reduce(0) { $0 + $1.omittedCount }
        guard omitted > 0 else { return }
        windows[.others, default: Window(minute: minute)].omittedCount += omitted
    }
}
