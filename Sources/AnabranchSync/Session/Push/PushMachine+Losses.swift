internal import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

// A restored zone may lack a change set that others depend on and that no replica can supply any
// more.
extension PushMachine {
    /// Looks for the change sets that the zone lacks, if pulling has not helped.
    ///
    /// A store that began with a snapshot lacks the change sets before it. If its own change sets
    /// depend on them, it declares them lost, because it can't know whether a replica still has
    /// them. If one has, it holds a branch of a forked history, and nothing is lost.
    ///
    /// - Returns: `nil` if the error does not name the missing change sets, or if they were
    ///   supplied before without success.
    mutating func supply(for error: SyncError, _ exchange: inout Exchange) -> Move? {
        guard rounds > 1, let missing = MissingChangeSets(error), missing != supplied,
            exchange.mayTakeRemedy()
        else { return nil }
        supplied = missing
        exchange.failures = 0
        return .store(Supplying(missing: missing, error: error))
    }
}

/// The store looks for change sets that the zone lacks. They are pushed, and entries that declare
/// the others lost.
package struct Supplying: StoreStep {
    let missing: MissingChangeSets
    /// The reason why the push stops if there are none.
    let error: SyncError
    package var description: String { "supply \(missing.sequences)" }

    package func perform(on side: StoreExecutor) throws -> [StoredLogEntry] {
        let entries = try side.store.supply(missing)
        if !entries.isEmpty { try side.store.flushBeforePush() }
        return entries
    }

    package func next(
        _ entries: [StoredLogEntry], _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        entries.isEmpty
            ? machine.stop(error, &exchange) : machine.push(entries, &exchange)
    }
}

extension MissingChangeSets {
    /// Reads a refusal: the missing change sets are those of one replica, from the next that the
    /// zone wants.
    init?(_ error: SyncError) {
        let isGap = error.code == .sequenceGap
        guard isGap || error.code == .missingCauses else { return nil }
        let details = error.details
        guard let replica = details[isGap ? "replica" : "causeReplica"].flatMap({ ReplicaID($0) }),
            let next = details[isGap ? "sequence" : "causeNext"].flatMap({ UInt64($0) }),
            let last = details[isGap ? "refused" : "causeSequence"].flatMap({ UInt64($0) }),
            next > 0, last <= Limits.greatestSequence
        else { return nil }
        let end = isGap ? last : last + 1
        guard next < end else { return nil }
        self.init(replica: replica, sequences: next..<end)
    }
}
