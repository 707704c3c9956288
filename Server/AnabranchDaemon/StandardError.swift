import Foundation
import Synchronization

/// Writes whole lines to standard error.
///
/// Each line includes its line feed, and lines of different threads are not mixed. A line that
/// can't be written, because the disk of the log is full or its reader has gone, is left out: the
/// service goes on.
enum StandardError {
    /// The reason why a line was not written, or only in part.
    struct LineLost: Error {
        /// The system's error; `EAGAIN` if the reader takes no bytes.
        let code: Int32
    }

    private struct State {
        /// True if the reader took no bytes at the last line.
        var isStuck = false
        /// True if only a part of the last line was written; the next one ends it.
        var endsInLine = false
    }

    private static let state = Mutex(State())

    /// The time for which a line waits for a reader that takes no bytes. While the reader is
    /// stuck, later lines do not wait, so that it slows the service down only once.
    private static let patienceMilliseconds: Int32 = 1000

    /// The bytes that are written at once. A pipe that can take some bytes can take as many
    /// without waiting.
    private static let pieceBytes = 4096

    /// Writes a line, if it can be written.
    static let write: @Sendable (String) -> Void = { line in try? append(line) }

    /// Writes a line.
    ///
    /// - Throws: ``LineLost`` if not the whole line could be written.
    static let append: @Sendable (String) throws -> Void = { line in
        try state.withLock { state in
            var rest = Array((state.endsInLine ? "\n" + line : line).utf8)[...]
            while let last = rest.last {
                try waitForReader(&state.isStuck)
                let count = rest.prefix(pieceBytes).withUnsafeBytes {
                    Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { throw LineLost(code: errno) }
                rest = rest.dropFirst(count)
                state.endsInLine = !rest.isEmpty || last != UInt8(ascii: "\n")
            }
        }
    }

    private static func waitForReader(_ isStuck: inout Bool) throws(LineLost) {
        var watched = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        let count = poll(&watched, 1, isStuck ? 0 : patienceMilliseconds)
        isStuck = count == 0
        if isStuck { throw LineLost(code: EAGAIN) }
    }
}
