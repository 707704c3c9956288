internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// What the zone's log no longer sends, its answers to a push still name: the set that has a name
// already, and the name under which it has a set.
extension SyncSession {
    /// Whether a pull can't bring what the zone has named.
    private var isBeneathHorizon: Bool {
        exchange.needsSnapshot || exchange.state.start != nil && exchange.rounds > 1
    }

    /// - Returns: `nil` where the pull brings the log's branch, or the error does not name it.
    mutating func yieldName(for error: SyncError) -> Action? {
        guard error.code == .forked, isBeneathHorizon,
            let replica = error.details["replica"].flatMap({ ReplicaID($0) }),
            let sequence = error.details["sequence"].flatMap({ UInt64($0) }),
            let origin = error.details["origin"].flatMap({
                [UInt8](hexadecimal: $0).flatMap { Digest(bytes: $0) }
            })
        else { return nil }
        let dot = Dot(replica: replica, sequence: sequence)
        return rewrite(.yieldName(dot, to: origin), orElse: error)
    }

    /// - Returns: `nil` where the pull brings the log's forms.
    mutating func takeForms() -> Action? {
        guard isBeneathHorizon else { return nil }
        let epoch = zone?.epoch ?? exchange.state.cursor?.epoch ?? EpochID(high: 0, low: 0)
        let start = max(exchange.startPosition, exchange.state.start?.position ?? 0)
        let horizon = CausalContext.Prefix(epoch: epoch, position: start)
        return rewrite(
            .takeForms(exchange.otherForms, beneath: horizon), orElse: Self.otherForm)
    }

    static let otherForm = SyncError(
        .forked,
        "Can't push because the zone has a change set in another form and does not send it. "
            + "Report it to the server's operator.")

    private mutating func rewrite(_ work: StoreWork, orElse error: SyncError) -> Action? {
        guard exchange.rewritings < Self.mostRewritings else { return nil }
        exchange.rewritings += 1
        phase = .rewriting(error)
        return .store(work)
    }

    /// So that a zone which contradicts itself ends the push, not the exchange.
    private static let mostRewritings = 64

    mutating func rewritten(
        _ state: SyncState?, orElse error: SyncError, at moment: Moment
    ) -> Action {
        guard let state else { return stopPush(error, at: moment) }
        exchange.state = state
        exchange.failures = 0
        return load()
    }
}
