/// A mechanism that keeps replicas equal and that a simulation can switch off.
///
/// A simulation without one of these mechanisms must fail; if it passes, it proves nothing. Only
/// builds for tests, which define `ANABRANCH_FAULTS`, can switch mechanisms off.
@usableFromInline package enum Mechanism: String, CaseIterable, Sendable {
    /// The change sets of a replica are accepted without gaps.
    case gapCheck
    /// Bytes are compared with the digest and the origin that name them.
    case digestCheck
    /// The cursor computed from a page is compared with the cursor that came with it.
    case cursorDigest
    /// A zone accepts a change set only when it holds all its causes.
    case causeCheck
    /// A change set of a bundle is applied only when all its causes are held.
    case bundleCauses
    /// A removal of a link removes only the tags that its author saw.
    case linkTags
    /// A link is added only if both its ends are held.
    case linkEnds
    /// An operation on a record that is not held changes nothing.
    case recordsNotHeld
    /// A new save is later than every timestamp in the file.
    case clockObservation
    /// A zone refuses timestamps that are too far in the future.
    case clockLimit
    /// A change set that the zone refused because of its time gets an earlier one.
    case restamping
    /// A save that comes back is recognized by its origin.
    case originEcho
    /// If the zone's log has a save in another form, the store adopts that form.
    case formAdoption
    /// In a forked history, the branch that is not in the log is renamed.
    case forkNaming
    /// A copied file takes a replica ID of its own.
    case fileIdentity
    /// A file takes a new replica ID when it receives a change set under its own ID that it lacks.
    case identityRenewal
    /// Record numbers are reserved in the file before they are used.
    case numberReservation
    /// Records that rewriting changed are repaired.
    case repair
    /// Records that a rejected save had changed are repaired.
    case voidRepair
    /// The conflict journal records writes that lose because change sets were renamed, restamped or
    /// rejected.
    case journalRevision
    /// A save in parts is applied only when all its parts are there.
    case partStaging
    /// Every discarded write is recorded in the conflict journal.
    case journal
    /// A change set leaves its file only after it was flushed to the disk.
    case flushBeforePush
    /// A bundle is reported as applied only after its change sets are flushed to the disk.
    case flushAfterImport
    /// A bundle is refused if one of its times is further ahead than the limit.
    case bundleClockLimit
    /// A replica ID is created only if the source of randomness succeeded.
    case randomnessCheck
    /// A migration keeps what only other versions of the model know.
    case deferredRowsInMigration

    #if ANABRANCH_FAULTS
        /// The mechanisms that are switched off on this thread and in this task.
        @TaskLocal package static var off: Set<Mechanism> = []

        package var isOn: Bool { !Self.off.contains(self) }
    #else
        @inlinable package var isOn: Bool { true }
    #endif
}
