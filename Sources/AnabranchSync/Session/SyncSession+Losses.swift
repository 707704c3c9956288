internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// A restored zone may lack a change set that others depend on and that no replica can supply any
// more.
extension SyncSession {
    /// Looks for the change sets that the zone lacks, if pulling has not helped.
    ///
    /// A store that began with a snapshot lacks the change sets before it. If its own change sets
    /// depend on them, it declares them lost, because it can't know whether a replica still has
    /// them. If one has, it holds a branch of a forked history, and nothing is lost.
    ///
    /// - Returns: `nil` if the error does not name the missing change sets, or if they were
    ///   supplied before without success.
    mutating func supply(for error: SyncError) -> Action? {
        guard exchange.rounds > 1,
            exchange.supplies < Self.maximumSupplies,
            let missing = MissingChangeSets(error), missing != exchange.supplied
        else { return nil }
        exchange.supplied = missing
        exchange.supplies += 1
        exchange.failures = 0
        phase = .supplying(error)
        return .store(.supply(missing))
    }

    /// The limit that keeps a zone with endless demands from blocking the exchange: it ends the
    /// push.
    private static let maximumSupplies = 64

    /// Pushes the found change sets, and the entries that declare the others lost.
    mutating func supplied(
        _ entries: [StoredLogEntry], orElse error: SyncError, at input: StepInput
    ) -> Action {
        guard !entries.isEmpty else { return stopPush(error, at: input) }
        return push(entries, at: input)
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
