import Foundation
import Simulator
import Synchronization

/// Writes what a run has to say: text on standard output at once, and on a terminal one line that
/// says how far the run is, on standard error.
final class RunOutput: Sendable {
    private let progress: RunProgress
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    /// When the line was last rewritten.
    private let shown = Mutex<ContinuousClock.Instant?>(nil)

    init(_ progress: RunProgress, isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.progress = progress
        self.isTerminal = isTerminal
    }

    /// Prints a line; standard output is not buffered, so a reader sees it at once.
    func print(_ text: String) {
        shown.withLock { last in
            if last != nil { Self.write("\r\u{1B}[K", to: .standardError) }
            last = nil
            Self.write(text + "\n", to: .standardOutput)
        }
    }

    /// Rewrites the line of the terminal, a few times a second at most.
    func show(finished: Int, failed: Int) {
        guard isTerminal else { return }
        shown.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < .milliseconds(200) { return }
            last = now
            let line = progress.line(finished: finished, failed: failed, elapsed: now - start)
            Self.write("\r\u{1B}[K" + line, to: .standardError)
        }
    }

    private static func write(_ text: String, to handle: FileHandle) {
        // A reader that has gone, as with `| head`, does not end the run.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
