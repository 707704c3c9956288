internal import Synchronization

/// Counts what the store's steps find or do, for the outcome of an exchange.
final class WorkCount: Sendable {
    private let count = Mutex(0)

    func add(_ more: Int) { count.withLock { $0 += more } }

    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}
