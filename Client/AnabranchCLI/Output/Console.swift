import Foundation

/// The outputs and the environment of a command.
final class Console {
    let output: TextOutput
    let errors: TextOutput
    let environment: [String: String]
    /// Why output before a note could not be written, while the work went on.
    private var failure: (any Error)?

    init(
        output: TextOutput = TextOutput(descriptor: STDOUT_FILENO),
        errors: TextOutput = TextOutput(descriptor: STDERR_FILENO),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.output = output
        self.errors = errors
        self.environment = environment
    }

    /// True if the output is a terminal and colours are not turned off.
    ///
    /// Source: no-color.org.
    var usesColor: Bool {
        output.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }

    func bold(_ text: String) -> String { styled(text, .bold) }
    func dim(_ text: String) -> String { styled(text, .dim) }

    private func styled(_ text: String, _ style: TerminalText.Style) -> String {
        usesColor ? style.rawValue + text + TerminalText.Style.plain.rawValue : text
    }

    func print(_ text: String = "") throws { try output.writeLine(text) }

    /// Prints a line with a title, which takes as many columns as the titles of the other lines.
    func print(_ text: String, titled title: String, width: Int) throws {
        try print(bold(title) + String(repeating: " ", count: width - title.count) + text)
    }

    /// Writes a line to standard error at once; it is for the user, not for the next program.
    ///
    /// The text may be another program's, such as a server's message, so it can't control the
    /// terminal: only its line feeds stay what they are.
    func writeNote(_ text: String) {
        let text = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText.printable(String($0)) }.joined(separator: "\n")
        // The work continues even if the output or the note cannot be written.
        do { try output.flush() } catch { failure = failure ?? error }
        try? errors.writeLine(text)
        try? errors.flush()
    }

    /// Writes the rest of the output.
    ///
    /// - Throws: The first error of the output, also one that came before a note.
    func finish() throws {
        if let failure { throw failure }
        try output.flush()
    }

    /// Prints a table, cut to the terminal's width if there is a terminal.
    func print(_ table: TextTable) throws {
        try output.write(table.text(width: output.terminalWidth, heading: { self.bold($0) }))
    }
}
