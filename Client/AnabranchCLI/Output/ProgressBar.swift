/// Shows the progress of a long command, only on a terminal's standard error.
final class ProgressBar {
    private let console: Console
    private let unit: String
    private let isShown: Bool
    private var lastDrawn: ContinuousClock.Instant?
    private let start = ContinuousClock.now

    /// Creates a bar.
    ///
    /// - Parameter unit: The name of the counted objects, in the plural.
    init(_ console: Console, unit: String) {
        self.console = console
        self.unit = unit
        isShown = console.errors.isTerminal && console.environment["TERM"] != "dumb"
    }

    /// Draws the bar, at most ten times a second.
    ///
    /// - Parameters:
    ///   - fraction: The finished part from 0 to 1; `nil` if the total is not known.
    ///   - count: The finished number.
    func update(fraction: Double?, count: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        lastDrawn = now
        draw(
            Self.line(
                fraction: fraction, count: count, unit: unit, elapsed: now - start,
                width: console.errors.terminalWidth ?? 80))
    }

    /// Removes the bar, so that later output begins on an empty line.
    func finish() {
        guard isShown, lastDrawn != nil else { return }
        draw("")
    }

    private func draw(_ line: String) {
        // The work continues even if the bar cannot be drawn.
        try? console.errors.writeControls("\r\u{1B}[K\(line)")
        try? console.errors.flush()
    }

    static func line(
        fraction: Double?, count: Int, unit: String, elapsed: Duration, width: Int
    ) -> String {
        let seconds =
            Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0 ? Int(Double(count) / seconds) : 0
        let tail = " \(count) \(unit), \(rate)/s"
        guard let fraction else { return String(tail.dropFirst()) }
        let bounded = min(max(fraction, 0), 1)
        let cells = min(40, max(0, width - tail.count - 8))
        let full = Int(bounded * Double(cells))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
        let percent = String(Int(bounded * 100))
        return bar + String(repeating: " ", count: 4 - percent.count) + percent + "%" + tail
    }
}
