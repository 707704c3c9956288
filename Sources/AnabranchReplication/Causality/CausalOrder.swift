/// How one causal history relates to another.
///
/// This is a partial order: two histories that each hold a change the other lacks are
/// `concurrent`, neither before nor after. `VersionVector` is for that reason not `Comparable`:
/// `!(a < b)` would not mean `a >= b`.
///
/// Source: Parker et al., "Detection of Mutual Inconsistency in Distributed Systems",
/// IEEE TSE SE-9(3), 1983.
public enum CausalOrder: Sendable { case same, before, after, concurrent }
