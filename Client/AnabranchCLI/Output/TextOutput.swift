import Foundation

/// Writes text to a file descriptor through a buffer.
final class TextOutput {
    let isTerminal: Bool
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private static let bufferedBytes = 1 << 16

    init(descriptor: Int32, isTerminal: Bool? = nil) {
        self.descriptor = descriptor
        self.isTerminal = isTerminal ?? (isatty(descriptor) == 1)
    }

    /// Writes a text. On a terminal its control characters are replaced by visible symbols, except
    /// tabs, line feeds and the styles: names and messages may come from another program, and must
    /// not control the terminal.
    func write(_ text: String) throws {
        try writeControls(isTerminal ? TerminalText.shown(text) : text)
    }

    /// Writes a text of the program's own, with its control characters.
    func writeControls(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.bufferedBytes { try flush() }
    }

    func writeLine(_ text: String = "") throws {
        try write(text)
        try write("\n")
    }

    /// Writes the buffer.
    ///
    /// - Throws: ``OutputClosed`` if the reader has closed the output; ``CommandFailure`` if the
    ///   system refuses the bytes, as on a full disk.
    func flush() throws {
        var rest = buffer[...]
        buffer = []
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { throw OutputClosed() }
                throw CommandFailure(
                    .inputOutput, "Can't write the output: \(String(cString: strerror(errno))).")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// The number of the terminal's columns; `nil` without a terminal.
    var terminalWidth: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
