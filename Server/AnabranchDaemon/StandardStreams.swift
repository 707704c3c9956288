import Foundation

/// The standard streams of the process.
enum StandardStreams {
    /// Opens the streams that were closed when the program began.
    ///
    /// Otherwise the next file or socket would get the number of a stream, and messages would be
    /// written into it. A write to a stream that was closed fails.
    static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The system gives the lowest number that is free.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Writes what was printed and waits in a buffer.
    ///
    /// - Returns: False if not all of it could be written.
    static func flush() -> Bool { fflush(nil) == 0 }
}
