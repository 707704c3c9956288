import Foundation

/// Where a command writes and what it may read of its surroundings.
final class Console {
    let output: TextOutput
    let errors: TextOutput
    let environment: [String: String]

    init(
        output: TextOutput = TextOutput(descriptor: STDOUT_FILENO),
        errors: TextOutput = TextOutput(descriptor: STDERR_FILENO),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.output = output
        self.errors = errors
        self.environment = environment
    }

    /// Whether output is dressed for eyes: a terminal that has not been told otherwise.
    ///
    /// Source: no-color.org.
    var usesColor: Bool {
        output.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }

    func bold(_ text: String) -> String { usesColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    func dim(_ text: String) -> String { usesColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    func print(_ text: String = "") throws { try output.writeLine(text) }

    /// A line for the person, not for the next program; at once.
    func note(_ text: String) {
        // If nobody sees the notes, the work goes on all the same.
        try? output.flush()
        try? errors.writeLine(text)
        try? errors.flush()
    }

    /// A table, cut to the terminal's width where there is one.
    func print(_ table: TextTable) throws {
        try output.write(
            table.text(width: output.terminalWidth, heading: { self.bold($0) }))
    }
}
