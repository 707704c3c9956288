/// What keeps replicas equal, each switchable in a simulation that must then fail.
///
/// A test of the tests: a simulator that stays green without one of these proves nothing. Nothing
/// outside tests passes anything but the empty set.
package enum Mechanism: String, CaseIterable, Sendable {
    /// A replica's sets are taken in without gaps.
    case gapCheck
    /// Bytes are compared with the digest and the origin that name them.
    case digestCheck
    /// A page leads to the cursor that came with it.
    case cursorDigest
    /// A zone takes in a set only when it has all that the set's author had.
    case causeCheck
    /// A set of a bundle is applied only where all that its author had is held.
    case bundleCauses
    /// A removed link loses only the tags that the remover saw.
    case linkTags
    /// A link is added only between records that are held.
    case linkEnds
    /// An operation on a record that is not held changes nothing.
    case recordsNotHeld
    /// What is saved is later than all that the file holds.
    case clockObservation
    /// A zone refuses times that are too far ahead.
    case clockLimit
    /// What a zone refused for its time gets an earlier one.
    case restamping
    /// A save that comes back is told by its origin.
    case originEcho
    /// Where the log has a save in another form, that form is taken over.
    case formAdoption
    /// Of a forked history the branch that is not in the log takes another name.
    case forkNaming
    /// A file that is a copy takes a replica ID of its own.
    case fileIdentity
    /// A file that learns of a set of its own which it lacks takes another replica ID.
    case identityRenewal
    /// Numbers of records are reserved in the file before they are handed out.
    case numberReservation
    /// What rewriting touches is repaired.
    case repair
    /// What a rejected save had changed is changed back.
    case voidRepair
    /// The journal gets what loses because sets got other names, other times or voids.
    case journalRevision
    /// A save in parts is applied when all its parts are there.
    case partStaging
    /// What a merge discards is written down.
    case journal
    /// A set leaves its file only when it has been flushed.
    case flushBeforePush
}
