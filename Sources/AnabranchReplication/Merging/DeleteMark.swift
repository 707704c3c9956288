/// The stamps that `updateWins` deletes of one record have seen.
///
/// Each such delete contains the stamp of every register value that its author saw. The union of
/// these stamps stays with the record as long as the record is kept. It stays even when an update
/// wins, because a later delete may complete it. The record is dead while the stamp of every
/// register value that it holds is in the union.
///
/// Both sides of this comparison converge, so deletes and updates may arrive in any order. Counters
/// and links are no registers: they change a dead record but do not bring it back.
package struct DeleteMark: Hashable, Sendable {
    /// The seen stamps in ascending order, each once.
    package private(set) var seen: [Stamp]

    /// Creates a mark from stamps in any order.
    package init(seen: some Sequence<Stamp>) {
        self.seen = Self.ordered(Array(seen))
    }

    /// Adds the stamps that one more delete has seen. The operation is commutative, associative and
    /// idempotent.
    ///
    /// - Returns: `true` if at least one stamp is new.
    @discardableResult
    package mutating func formUnion(_ stamps: some Sequence<Stamp>) -> Bool {
        let new = Self.ordered(stamps.filter { !contains($0) })
        guard new.count > Self.mostInserted else {
            for stamp in new { seen.insert(stamp, at: index(of: stamp)) }
            return !new.isEmpty
        }
        seen = Self.ordered(seen + new)
        return true
    }

    /// The number of stamps up to which each is inserted, which is less work than sorting.
    private static let mostInserted = 4

    /// Indicates whether a record with these register values is dead.
    ///
    /// - Parameter registers: The stamp of every cell with a rule that ``MergeRule/isRegister``;
    ///   under `keepBoth` that of every sibling.
    package func isDead(holding registers: some Sequence<Stamp>) -> Bool {
        registers.allSatisfy(contains)
    }

    private func contains(_ stamp: Stamp) -> Bool {
        let index = index(of: stamp)
        return index < seen.endIndex && seen[index] == stamp
    }

    /// The index of the first stamp that is not less, in logarithmic time.
    private func index(of stamp: Stamp) -> Int {
        seen.partitioningIndex { $0 >= stamp }
    }

    private static func ordered(_ stamps: [Stamp]) -> [Stamp] {
        let sorted = stamps.sorted()
        return sorted.indices.filter { $0 == 0 || sorted[$0 - 1] < sorted[$0] }.map { sorted[$0] }
    }
}
