import Synchronization

/// The bytes of the server's budget that one request uses: for its body, for what is decoded from
/// it, and for its answer until that is sent.
public final class RequestMemory: Sendable {
    private let budget: MemoryBudget
    private let taken = Mutex(0)

    init(_ budget: MemoryBudget) { self.budget = budget }

    deinit { budget.giveBack(taken.withLock { $0 }) }

    /// The number of bytes that the request uses.
    var byteCount: Int { taken.withLock { $0 } }

    /// The greatest number of bytes that one request takes, half of all. So a large request does
    /// not have to wait until no other one takes any.
    var limit: Int { budget.byteCount / 2 }

    /// Takes more bytes.
    ///
    /// - Parameter seconds: The time to wait for bytes of other requests.
    ///
    /// - Returns: False if there are not enough; then nothing is taken.
    func take(_ count: Int, waiting seconds: Double = 0) -> Bool {
        guard count > 0 else { return true }
        guard budget.take(count, waiting: seconds) else { return false }
        taken.withLock { $0 += count }
        return true
    }

    /// Gives all bytes back, and takes others.
    func replace(by count: Int) -> Bool {
        release()
        return take(count)
    }

    /// Gives all bytes back.
    func release() {
        budget.giveBack(
            taken.withLock { taken in
                defer { taken = 0 }
                return taken
            })
    }
}
