/// The result of a delete and a concurrent change of one object by two replicas.
///
/// It is closed: only a new major version adds a case.
public enum DeletePolicy: Int, Hashable, Sendable, CaseIterable {
    /// The object stays deleted; the concurrent change goes to the conflict journal.
    case deleteWins = 0
    /// The object is visible again as soon as it holds a value that no delete had seen.
    ///
    /// All its values and links are then visible again.
    case updateWins = 1
}
