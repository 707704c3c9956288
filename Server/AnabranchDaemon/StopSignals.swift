import Foundation

/// SIGTERM and SIGINT, waited for.
///
/// They are blocked first, for this thread and for every one that is made from now on, so that
/// none of them is interrupted and none is ended half-way.
struct StopSignals {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// - Returns: The name of the one that came.
    func wait() -> String {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number == SIGTERM ? "SIGTERM" : "SIGINT"
    }
}

/// Whole lines on standard error, none torn by another thread's.
enum StandardError {
    private static let lock = NSLock()

    static let write: @Sendable (String) -> Void = { line in
        lock.withLock { FileHandle.standardError.write(Data(line.utf8)) }
    }
}
