import Dispatch
import Synchronization

/// Bounds the calls that run at once and those that wait for one of them to end.
///
/// A caller beyond both bounds is turned away at once. So a slow hook holds only few of the
/// threads that serve requests.
final class CallGate: Sendable {
    private let callers = Mutex(0)
    private let free: DispatchSemaphore
    private let limit: Int

    /// Creates a gate without callers.
    ///
    /// - Parameters:
    ///   - running: The greatest number of calls at once.
    ///   - waiting: The greatest number of callers that wait.
    init(running: Int, waiting: Int) {
        limit = running + waiting
        free = DispatchSemaphore(value: running)
    }

    /// Runs a call when there is room for it.
    ///
    /// - Parameter timeout: The greatest time to wait for room.
    ///
    /// - Throws: The error of the call, or a failure if there is no room.
    func run<Result>(
        within timeout: Duration, _ call: () throws(ValidationFailure) -> Result
    ) throws(ValidationFailure) -> Result {
        let isLet = callers.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isLet else { throw ValidationFailure("too many pushes wait for it") }
        defer { callers.withLock { $0 -= 1 } }
        let patience = DispatchTimeInterval.milliseconds(timeout.wholeMilliseconds)
        guard free.wait(timeout: .now() + patience) == .success else {
            throw ValidationFailure("it is busy with earlier pushes")
        }
        defer { free.signal() }
        return try call()
    }
}
