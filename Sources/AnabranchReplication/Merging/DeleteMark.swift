/// The stamps that `updateWins` deletes of one record have seen.
///
/// Each such delete contains the stamp of every register value that its author saw. The union of
/// these stamps stays with the record as long as the record is kept. It stays even when an update
/// wins, because a later delete may complete it. The record is dead while the stamp of every
/// register value that it holds is in the union.
///
/// Both sides of this comparison converge, so deletes and updates may arrive in any order. Counters
/// and links are no registers: they change a dead record but do not bring it back.
public struct DeleteMark: Hashable, Sendable {
    /// The seen stamps in ascending order, each once.
    public private(set) var seen: [Stamp]

    /// Creates a mark from stamps in any order.
    public init(seen: some Sequence<Stamp>) {
        self.seen = Self.ordered(Array(seen))
    }

    /// Adds the stamps that one more delete has seen. The operation is commutative, associative and
    /// idempotent.
    ///
    /// - Returns: `true` if at least one stamp is new.
    @discardableResult
    public mutating func formUnion(_ stamps: some Sequence<Stamp>) -> Bool {
        let united = Self.ordered(seen + stamps)
        defer { seen = united }
        return united.count > seen.count
    }

    /// Indicates whether a record with these register values is dead.
    ///
    /// - Parameter registers: The stamp of every cell with a rule that ``MergeRule/isRegister``;
    ///   under `keepBoth` that of every sibling.
    public func isDead(holding registers: some Sequence<Stamp>) -> Bool {
        registers.allSatisfy(contains)
    }

    private func contains(_ stamp: Stamp) -> Bool {
        var low = seen.startIndex
        var high = seen.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if seen[middle] < stamp { low = middle + 1 } else { high = middle }
        }
        return low < seen.endIndex && seen[low] == stamp
    }

    private static func ordered(_ stamps: [Stamp]) -> [Stamp] {
        let sorted = stamps.sorted()
        return sorted.indices.filter { $0 == 0 || sorted[$0 - 1] < sorted[$0] }.map { sorted[$0] }
    }
}
