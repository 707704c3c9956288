import AnabranchStore
import Synchronization

/// Hands out record numbers from blocks that the store has reserved.
///
/// Blocks grow with use: a loop of insertions needs few write transactions, and a program that
/// inserts once wastes few numbers. Gaps in the numbers are normal.
final class RecordNumberAllocator: Sendable {
    private struct State: Sendable {
        var next: LocalID = 1
        var last: LocalID = 0
        var blockSize = 64
    }

    private let state = Mutex(State())
    private static let largestBlock = 65_536

    /// - Returns: At least one and at most `count` local IDs.
    func take(_ count: Int, from store: Store) throws -> ClosedRange<LocalID> {
        try state.withLock { state in
            if state.next > state.last {
                let block = try store.reserveNumbers(max(state.blockSize, count))
                state.next = block.lowerBound
                state.last = block.upperBound
                state.blockSize = min(state.blockSize * 4, Self.largestBlock)
            }
            let last = min(state.last, state.next + LocalID(count) - 1)
            defer { state.next = last + 1 }
            return state.next...last
        }
    }

    /// Discards the rest of the block, because the store has taken another replica ID.
    func discard() {
        state.withLock { $0.next = $0.last + 1 }
    }
}
