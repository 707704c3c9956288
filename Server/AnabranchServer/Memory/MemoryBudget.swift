import Foundation

/// A limit on the bytes that are in use at the same time.
final class MemoryBudget: Sendable {
    /// The limit in bytes.
    let byteCount: Int
    private let returned = NSCondition()
    /// Used only while `returned` is locked.
    nonisolated(unsafe) private var rest: Int

    init(byteCount: Int) {
        self.byteCount = byteCount
        rest = byteCount
    }

    /// Reserves bytes.
    ///
    /// - Parameter seconds: The time to wait for bytes that are in use.
    ///
    /// - Returns: False if the budget does not have enough bytes left.
    func take(_ count: Int, waiting seconds: Double = 0) -> Bool {
        returned.withLock {
            let end = seconds > 0 ? Date(timeIntervalSinceNow: seconds) : nil
            while count > rest {
                guard count <= byteCount, let end, returned.wait(until: end) else { return false }
            }
            rest -= count
            return true
        }
    }

    func giveBack(_ count: Int) {
        guard count > 0 else { return }
        returned.withLock {
            rest += count
            returned.broadcast()
        }
    }

    /// The number of bytes that are not in use.
    var available: Int { returned.withLock { rest } }
}
