import Synchronization

/// The bytes of the server's budget that one request uses: for its body, for what is decoded from
/// it, and for its answer until that is sent.
public final class RequestMemory: Sendable {
    private struct Taken {
        var byteCount = 0
        var holders: [MemoryBudget.Holder]
    }

    private let budget: MemoryBudget
    private let taken: Mutex<Taken>

    /// Creates the memory of a request that uses none yet.
    ///
    /// - Parameter holders: What its bytes count for.
    init(_ budget: MemoryBudget, for holders: [MemoryBudget.Holder] = []) {
        self.budget = budget
        taken = Mutex(Taken(holders: holders))
    }

    deinit { release() }

    /// The number of bytes that the request uses.
    var byteCount: Int { taken.withLock { $0.byteCount } }

    /// The number of bytes that the request uses of a holder's share; of all bytes for `nil`.
    func byteCount(for holder: MemoryBudget.Holder?) -> Int {
        taken.withLock { taken in
            holder.map { taken.holders.contains($0) } ?? true ? taken.byteCount : 0
        }
    }

    /// The greatest number of bytes that one request takes.
    var limit: Int { budget.share }

    /// Takes more bytes.
    ///
    /// - Parameter seconds: The time to wait for bytes of other requests.
    ///
    /// - Returns: False if there are not enough; then nothing is taken.
    func take(_ count: Int, waiting seconds: Double = 0) -> Bool {
        guard count > 0 else { return true }
        let holders = taken.withLock { $0.holders }
        guard budget.take(count, for: holders, waiting: seconds) else { return false }
        taken.withLock { $0.byteCount += count }
        return true
    }

    /// Counts the bytes of the request for other holders, now and later.
    ///
    /// - Returns: False if a share of them does not have enough bytes left.
    func count(for holders: [MemoryBudget.Holder]) -> Bool {
        taken.withLock { taken in
            guard budget.move(taken.byteCount, from: taken.holders, to: holders) else {
                return false
            }
            taken.holders = holders
            return true
        }
    }

    /// Gives all bytes back, and takes others.
    func replace(by count: Int) -> Bool {
        release()
        return take(count)
    }

    /// Gives all bytes back.
    func release() { release(.max) }

    /// Gives some bytes back, all at most.
    func release(_ count: Int) {
        taken.withLock { taken in
            let count = min(count, taken.byteCount)
            budget.giveBack(count, of: taken.holders)
            taken.byteCount -= count
        }
    }
}
