import Synchronization

/// The parts of a file's history that one opening of the file has written.
///
/// The contexts of the opening have these changes from the save or the sync itself. Whatever else
/// the history has came from another opening of the file, mostly in another process.
final class OwnWrites: Sendable {
    private struct State {
        var positions = NumberRanges()
        var unlogged = NumberRanges()
        /// True if a transaction that was recorded here may not have been committed. Another
        /// opening may have written its numbers then.
        var isUncertain = false
    }

    private let state = Mutex(State())

    /// Records what a transaction is about to commit, before any reader can see it.
    func add(_ writes: HistoryWrites) {
        guard writes != HistoryWrites() else { return }
        state.withLock { state in
            if let positions = writes.positions { state.positions.insert(positions) }
            if let unlogged = writes.unlogged { state.unlogged.insert(unlogged) }
        }
    }

    /// Removes what a transaction has not committed after all.
    func remove(_ writes: HistoryWrites) {
        guard writes != HistoryWrites() else { return }
        state.withLock { state in
            if let positions = writes.positions { state.positions.remove(positions) }
            if let unlogged = writes.unlogged { state.unlogged.remove(unlogged) }
            state.isUncertain = true
        }
    }

    func contains(position: Int64) -> Bool {
        state.withLock { $0.positions.contains(position...position) }
    }

    /// True if every change of records without a save, between two counts, is one of this opening.
    func containsUnlogged(after first: Int64, through last: Int64) -> Bool {
        first >= last || state.withLock { $0.unlogged.contains(first + 1...last) }
    }

    /// Returns true once after a transaction that may not have been committed.
    func takeUncertainty() -> Bool {
        state.withLock { state in
            defer { state.isUncertain = false }
            return state.isUncertain
        }
    }

    /// Forgets what lies before a progress of the history, which nothing asks for again.
    func forget(through progress: HistoryProgress) {
        state.withLock { state in
            state.positions.removeAll(through: progress.position)
            state.unlogged.removeAll(through: progress.unloggedCount)
        }
    }
}

/// A set of numbers as disjoint ranges in ascending order.
struct NumberRanges: Equatable {
    /// The greatest number of ranges. Where there would be more, the lowest is forgotten: what it
    /// says of an old save is that it need not be merged again, which does no harm.
    static let limit = 1024

    private(set) var ranges: [ClosedRange<Int64>] = []

    /// Adds a range, which mostly lies after all others.
    mutating func insert(_ range: ClosedRange<Int64>) {
        var merged = range
        var start = ranges.endIndex
        while start > 0, ranges[start - 1].upperBound >= merged.lowerBound - 1 { start -= 1 }
        var end = start
        while end < ranges.endIndex, ranges[end].lowerBound <= merged.upperBound + 1 {
            merged =
                min(
                    merged.lowerBound, ranges[end].lowerBound)...max(
                    merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        guard end != start + 1 else {
            ranges[start] = merged
            return
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(merged))
        if ranges.count > Self.limit { ranges.removeFirst() }
    }

    mutating func remove(_ range: ClosedRange<Int64>) {
        ranges = ranges.flatMap { known -> [ClosedRange<Int64>] in
            guard known.overlaps(range) else { return [known] }
            var rest: [ClosedRange<Int64>] = []
            if known.lowerBound < range.lowerBound {
                rest.append(known.lowerBound...range.lowerBound - 1)
            }
            if known.upperBound > range.upperBound {
                rest.append(range.upperBound + 1...known.upperBound)
            }
            return rest
        }
    }

    mutating func removeAll(through number: Int64) {
        guard let first = ranges.first, first.lowerBound <= number else { return }
        remove(first.lowerBound...number)
    }

    /// True if every number of a range is there.
    func contains(_ range: ClosedRange<Int64>) -> Bool {
        ranges.last { $0.lowerBound <= range.lowerBound }
            .map { $0.upperBound >= range.upperBound } ?? false
    }
}
