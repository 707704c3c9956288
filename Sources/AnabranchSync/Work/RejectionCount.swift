internal import Synchronization

/// Counts the saves that were found to be rejected, for the outcome of an exchange.
final class RejectionCount: Sendable {
    private let count = Mutex(0)

    func add(_ more: Int) { count.withLock { $0 += more } }

    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}
