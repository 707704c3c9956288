/// Durations as the user types them: `90s`, `15m`, `12h`, `30d`, `2w`.
enum DurationText {
    static let form = "a whole number followed by s, m, h, d or w, as in 30d"

    /// Parses a duration; `nil` if the text is not one, or its number is above a billion.
    static func read(_ text: String) -> Duration? {
        guard let unit = text.last, let seconds = secondsByUnit[unit],
            let number = Int64(text.dropLast()), (0...1_000_000_000).contains(number)
        else { return nil }
        return .seconds(number * seconds)
    }

    private static let secondsByUnit: [Character: Int64] = [
        "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
    ]
}
