/// What is held: for every replica the highest sequence number.
///
/// A replica's change sets are held without gaps, so one number says all (invariant 1). An entry
/// is never removed: a pruned vector would never again equal one that was not.
///
/// Source: Parker et al., "Detection of Mutual Inconsistency in Distributed Systems",
/// IEEE TSE SE-9(3), 1983.
public struct VersionVector: Hashable, Sendable {
    private var sequences: [ReplicaID: UInt64] = [:]

    public init() {}

    /// - Parameter heads: For each replica the highest sequence number held; zero means none.
    public init(_ heads: some Sequence<Dot>) {
        for head in heads { insert(head) }
    }

    /// The highest sequence number held of a replica; zero where nothing is.
    public subscript(replica: ReplicaID) -> UInt64 { sequences[replica] ?? 0 }

    public var isEmpty: Bool { sequences.isEmpty }

    /// The head of every replica, in the order of their bytes.
    public var heads: [Dot] {
        sequences.map { Dot(replica: $0.key, sequence: $0.value) }.sorted()
    }

    public func contains(_ dot: Dot) -> Bool { dot.sequence <= self[dot.replica] }

    /// Takes note that a dot, and so every earlier one of its replica, is held.
    public mutating func insert(_ dot: Dot) {
        guard dot.sequence > self[dot.replica] else { return }
        sequences[dot.replica] = dot.sequence
    }

    public mutating func formUnion(_ other: VersionVector) {
        sequences.merge(other.sequences) { max($0, $1) }
    }

    public func union(_ other: VersionVector) -> VersionVector {
        var united = self
        united.formUnion(other)
        return united
    }

    public func isSuperset(of other: VersionVector) -> Bool {
        other.sequences.allSatisfy { self[$0.key] >= $0.value }
    }

    public func order(relativeTo other: VersionVector) -> CausalOrder {
        switch (isSuperset(of: other), other.isSuperset(of: self)) {
        case (true, true): .same
        case (true, false): .after
        case (false, true): .before
        case (false, false): .concurrent
        }
    }
}

extension VersionVector: CustomStringConvertible {
    public var description: String {
        "{" + heads.map(\.description).joined(separator: ", ") + "}"
    }
}
