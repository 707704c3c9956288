import Foundation

/// Waits for SIGTERM or SIGINT.
///
/// The signals are blocked for this thread and for all threads created later, so that no thread is
/// interrupted and no work ends halfway. SIGPIPE is ignored in the whole process.
struct StopSignals {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for a signal and returns its name.
    func wait() -> String {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number == SIGTERM ? "SIGTERM" : "SIGINT"
    }
}

/// Writes whole lines to standard error. Each line includes its line feed, and lines of different
/// threads are not mixed.
enum StandardError {
    private static let lock = NSLock()

    static let write: @Sendable (String) -> Void = { line in
        lock.withLock { FileHandle.standardError.write(Data(line.utf8)) }
    }
}
