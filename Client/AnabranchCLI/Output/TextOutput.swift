import Foundation

/// Text to a file descriptor, gathered into larger writes.
final class TextOutput {
    let isTerminal: Bool
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private static let bufferedBytes = 1 << 16

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.bufferedBytes { try flush() }
    }

    func writeLine(_ text: String = "") throws {
        try write(text)
        try write("\n")
    }

    /// - Throws: ``OutputClosed`` where nobody reads any more; ``CommandFailure`` where the
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

    /// Columns of the terminal; `nil` where there is none.
    var terminalWidth: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
