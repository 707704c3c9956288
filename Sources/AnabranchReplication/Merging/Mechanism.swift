/// What keeps replicas equal, each switchable in a simulation that must then fail.
///
/// A test of the tests: a simulator that stays green without one of these proves nothing. Nothing
/// outside tests passes anything but the empty set.
package enum Mechanism: String, CaseIterable, Sendable {
    /// A replica's sets are taken in without gaps.
    case gapCheck
    /// Bytes are compared with the digest and the origin that name them.
    case digestCheck
    /// A removed link loses only the tags that the remover saw.
    case linkTags
    /// An operation on a record that is not held changes nothing.
    case recordsNotHeld
}
