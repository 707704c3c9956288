/// The effect of deleting an object on the objects at the other end of a relationship.
///
/// The raw values are Core Data's.
///
/// It is closed: only a new major version adds a case.
public enum DeleteRule: Int, Hashable, Sendable, CaseIterable {
    /// The other end is left as it is; its reference reads nil.
    case noAction = 0
    /// The other end's reference to the deleted object is removed.
    case nullify = 1
    /// The other end is deleted too.
    case cascade = 2
    /// The deletion fails at save while the other end still has an object that stays.
    case deny = 3
}
