package import AnabranchReplication

/// How one causal history relates to another.
///
/// This is a partial order: two histories that each hold a change the other lacks are
/// `concurrent`, neither before nor after. `VersionVector` is for that reason not `Comparable`:
/// `!(a < b)` would not mean `a >= b`.
///
/// Source: Parker et al., "Detection of Mutual Inconsistency in Distributed Systems",
/// IEEE TSE SE-9(3), 1983.
package enum CausalOrder: Sendable {
    /// Both histories hold the same changes.
    case same
    /// The other history holds all changes of this one, and more.
    case before
    /// This history holds all changes of the other one, and more.
    case after
    /// Each history holds a change that the other one lacks.
    case concurrent
}

extension VersionVector {
    /// Indicates whether no change set of any replica is held.
    package var isEmpty: Bool { heads.isEmpty }

    /// Indicates whether the change set with this dot is held.
    package func contains(_ dot: Dot) -> Bool { dot.sequence <= self[dot.replica] }

    /// Returns the vector that holds what either of the two holds.
    package func union(_ other: VersionVector) -> VersionVector {
        VersionVector(heads + other.heads)
    }

    /// Indicates whether this vector holds everything that the other one holds.
    package func isSuperset(of other: VersionVector) -> Bool {
        other.heads.allSatisfy { contains($0) }
    }

    /// Compares two vectors as causal histories.
    ///
    /// - Returns: `after` if this vector holds everything that `other` holds, and more.
    package func order(relativeTo other: VersionVector) -> CausalOrder {
        switch (isSuperset(of: other), other.isSuperset(of: self)) {
        case (true, true): .same
        case (true, false): .after
        case (false, true): .before
        case (false, false): .concurrent
        }
    }
}
