import Synchronization

/// Bytes that may be in use at one time.
final class MemoryBudget: Sendable {
    private let remaining: Mutex<Int>

    init(byteCount: Int) { remaining = Mutex(byteCount) }

    /// - Returns: Whether there was as much.
    func take(_ byteCount: Int) -> Bool {
        remaining.withLock { remaining in
            guard byteCount <= remaining else { return false }
            remaining -= byteCount
            return true
        }
    }

    func giveBack(_ byteCount: Int) { remaining.withLock { $0 += byteCount } }
}
