import Synchronization

/// A limit on the bytes that are in use at the same time.
final class MemoryBudget: Sendable {
    private let remaining: Mutex<Int>

    init(byteCount: Int) { remaining = Mutex(byteCount) }

    /// Reserves bytes.
    ///
    /// - Returns: False if the budget does not have enough bytes left.
    func take(_ byteCount: Int) -> Bool {
        remaining.withLock { remaining in
            guard byteCount <= remaining else { return false }
            remaining -= byteCount
            return true
        }
    }

    func giveBack(_ byteCount: Int) { remaining.withLock { $0 += byteCount } }
}
