/// What deletes that updates may win against have seen of one record.
///
/// Each such delete carries the stamp of every register value that it saw. Their union stays with
/// the record for as long as the record is kept, also while it lives again: a later delete may
/// complete it. The record is dead while the stamp of every register value that it holds is in
/// the union. That is a function of two states which each converge, so the deletes and the
/// updates may come in any order. Counters and links are no registers: they change a dead record
/// and do not bring it back.
public struct DeleteMark: Hashable, Sendable {
    /// In ascending order, each once.
    public private(set) var seen: [Stamp]

    public init(seen: some Sequence<Stamp>) {
        self.seen = Self.ordered(Array(seen))
    }

    /// Takes in what one more delete has seen: commutative, associative, idempotent.
    ///
    /// - Returns: Whether any of it is new.
    @discardableResult
    public mutating func formUnion(_ stamps: some Sequence<Stamp>) -> Bool {
        let united = Self.ordered(seen + stamps)
        defer { seen = united }
        return united.count > seen.count
    }

    /// - Parameter registers: The stamp of every cell whose rule ``MergeRule/isRegister``; under
    ///   `keepBoth` that of every sibling.
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
