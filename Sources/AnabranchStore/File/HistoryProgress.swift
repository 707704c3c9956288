/// How far the history of a file has grown, and how often records have changed without it.
package struct HistoryProgress: Hashable, Sendable {
    /// The position of the last save that the file holds.
    package var position: Int64
    /// The number of changes of records that no save of the history describes; see
    /// `UnloggedChanges`.
    package var unloggedCount: Int64

    package init(position: Int64 = 0, unloggedCount: Int64 = 0) {
        self.position = position
        self.unloggedCount = unloggedCount
    }
}

/// The numbers that one transaction adds to the two sequences of ``HistoryProgress``.
struct HistoryWrites: Equatable {
    private(set) var positions: ClosedRange<Int64>?
    private(set) var unlogged: ClosedRange<Int64>?

    mutating func add(position: Int64) { positions = Self.extended(positions, by: position) }

    mutating func add(unlogged number: Int64) { unlogged = Self.extended(unlogged, by: number) }

    private static func extended(
        _ range: ClosedRange<Int64>?, by number: Int64
    ) -> ClosedRange<Int64> {
        range.map { min($0.lowerBound, number)...max($0.upperBound, number) } ?? number...number
    }
}
