internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// A zone that was restored may lack a set that others depend on and nobody has any more.
extension SyncSession {
    /// Looks for what the zone says that it misses, once pulling has not helped.
    ///
    /// A store that began with a snapshot, and whose sets depend on what lies before it, declares
    /// that lost as any other: nobody can tell whether somebody will come who has it. Who comes
    /// holds a branch of a forked history, and nothing was lost then.
    ///
    /// - Returns: `nil` where the error does not name it, or it was supplied in vain.
    mutating func supply(for error: SyncError) -> Action? {
        guard exchange.rounds > 1,
            exchange.supplies < Self.mostSupplies,
            let missing = MissingSets(error), missing != exchange.supplied
        else { return nil }
        exchange.supplied = missing
        exchange.supplies += 1
        exchange.failures = 0
        phase = .supplying(error)
        return .store(.supply(missing))
    }

    /// So that a zone which never has enough ends the push, not the exchange.
    private static let mostSupplies = 64

    /// Sends ahead what was found; what was not is declared lost.
    mutating func supplied(
        _ entries: [LogEntry], orElse error: SyncError, at moment: Moment
    ) -> Action {
        guard !entries.isEmpty else { return stopPush(error, at: moment) }
        return push(entries, at: moment)
    }
}

extension MissingSets {
    /// What a refusal names: the sets of one replica from the next that the zone wants on.
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
