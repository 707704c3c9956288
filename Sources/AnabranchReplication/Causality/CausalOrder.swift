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
