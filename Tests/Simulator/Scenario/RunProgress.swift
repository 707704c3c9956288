/// How far a run of seeds is, as one line for a terminal.
package struct RunProgress: Sendable {
    private let count: Int

    package init(of count: Int) { self.count = count }

    /// - Parameter elapsed: Since the run began.
    package func line(finished: Int, failed: Int, elapsed: Duration) -> String {
        let seconds = Int(elapsed / .seconds(1))
        let rest = seconds % 60
        let time = "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
        return "\(finished) of \(count) seeds, \(failed) failed, \(time)"
    }
}
