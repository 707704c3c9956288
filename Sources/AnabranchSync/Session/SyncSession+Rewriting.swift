internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// A compacted log no longer sends its change sets, but its answers to a push still name them. They
// say which change set already has a dot, and in which form the log has a save.
extension SyncSession {
    /// Indicates whether a pull can't bring the change set that the zone has named.
    private var isBeneathHorizon: Bool {
        exchange.needsSnapshot || exchange.state.start != nil && exchange.rounds > 1
    }

    /// Renames the store's branch of a forked history.
    ///
    /// The error names the origin of the zone's change set under the same dot. It names none if
    /// the change set would follow the zone's last one of the replica, but continues a branch that
    /// the zone has under another name.
    ///
    /// - Returns: `nil` if the pull brings the log's branch, or if the error does not name it.
    mutating func renameBranch(for error: SyncError) -> Action? {
        guard error.code == .forked, isBeneathHorizon,
            let replica = error.details["replica"].flatMap({ ReplicaID($0) }),
            let sequence = error.details["sequence"].flatMap({ UInt64($0) })
        else { return nil }
        let dot = Dot(replica: replica, sequence: sequence)
        let origin = error.details["origin"].flatMap {
            [UInt8](hexadecimal: $0).flatMap { Digest(bytes: $0) }
        }
        return rewrite(.renameBranch(dot, to: origin), orElse: error)
    }

    /// Adopts the forms that the acknowledgements named.
    ///
    /// - Returns: `nil` if the pull brings the log's forms.
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
        guard exchange.rewritings < Self.maximumRewritings else { return nil }
        exchange.rewritings += 1
        phase = .rewriting(error)
        return .store(work)
    }

    /// The limit that keeps a zone which contradicts itself from blocking the exchange: it ends the
    /// push.
    private static let maximumRewritings = 64

    /// Pushes again after change sets were rewritten, or ends the push if nothing was rewritten.
    mutating func rewritten(
        _ state: SyncState?, orElse error: SyncError, at input: StepInput
    ) -> Action {
        guard let state else { return stopPush(error, at: input) }
        exchange.state = state
        exchange.failures = 0
        return load()
    }
}
