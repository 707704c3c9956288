import Foundation

/// Waits for SIGTERM, SIGINT or SIGHUP.
///
/// The signals are blocked for this thread and for all threads created later, so that no thread is
/// interrupted and no work ends halfway.
struct ServiceSignals {
    /// The meaning of a signal.
    enum Meaning {
        /// Read the configuration again.
        case reload
        /// Stop; with the name of the signal.
        case stop(String)
    }

    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    func wait() -> Meaning {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        switch number {
        case SIGHUP: return .reload
        case SIGTERM: return .stop("SIGTERM")
        default: return .stop("SIGINT")
        }
    }
}
