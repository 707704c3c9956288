internal import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

// A compacted log no longer sends its change sets, but its answers to a push still name them. They
// say which change set already has a dot, in which form the log has a save, and which time it has
// for a predecessor. A store that has trimmed its own log learns the latter from them alone.
extension PushMachine {
    /// Indicates whether a pull can't bring the change set that the zone has named.
    private func isBeneathHorizon(_ exchange: Exchange) -> Bool {
        exchange.needsSnapshot || exchange.state.start != nil && rounds > 1
    }

    /// Renames the store's branch of a forked history.
    ///
    /// The error names the origin of the zone's change set under the same dot. It names none if
    /// the change set would follow the zone's last one of the replica, but continues a branch that
    /// the zone has under another name.
    ///
    /// - Returns: `nil` if the pull brings the log's branch, or if the error does not name it.
    mutating func renameBranch(for error: SyncError, _ exchange: Exchange) -> Move? {
        guard error.code == .forked, isBeneathHorizon(exchange), let dot = error.refusedDot else {
            return nil
        }
        let origin = error.details["origin"].flatMap {
            [UInt8](hexadecimal: $0).flatMap { Digest(bytes: $0) }
        }
        return rewrite(RenamingBranch(dot: dot, origin: origin, error: error))
    }

    /// Raises the time of the refused change set above the one that the log has for its
    /// predecessor.
    ///
    /// - Returns: `nil` if no pull was tried since, which may bring the predecessor with that time,
    ///   or if the error does not tell the time.
    mutating func raise(for error: SyncError) -> Move? {
        guard error.code == .timeOrder, rounds > 1, let dot = error.refusedDot,
            let time = error.details["predecessorTime"].flatMap({ UInt64($0) }),
            time < Limits.greatestTimestamp
        else { return nil }
        return rewrite(
            RaisingTimes(dot: dot, floor: HybridTimestamp(rawValue: time), error: error))
    }

    /// Adopts the log's forms of pushed change sets: those that the acknowledgements named, or
    /// those that a pull brings if the log still reaches that far.
    mutating func adopt(_ forms: [Acknowledged], _ exchange: inout Exchange) -> Move {
        rounds += 1
        if isBeneathHorizon(exchange) {
            let start = max(exchange.startPosition, exchange.state.start?.position ?? 0)
            let horizon = CausalContext.Prefix(epoch: exchange.epoch, position: start)
            if let move = rewrite(TakingForms(forms: forms, horizon: horizon)) { return move }
        }
        guard rounds < exchange.limits.rounds else { return stop(.otherForm, &exchange) }
        return .leave(.needsPull)
    }

    private mutating func rewrite(_ step: some StoreStep) -> Move? {
        guard rewritings < Self.maximumRewritings else { return nil }
        rewritings += 1
        return .store(step)
    }

    /// The limit that keeps a zone which contradicts itself from blocking the exchange: it ends the
    /// push.
    private static let maximumRewritings = 64

    /// Pushes again after change sets were rewritten.
    ///
    /// - Parameters:
    ///   - state: The new state, or `nil` if there was nothing to rewrite.
    ///   - error: The reason why the push stops then.
    fileprivate mutating func pushRewritten(
        _ state: SyncState?, orElse error: SyncError, _ exchange: inout Exchange
    ) -> Move {
        guard let state else { return stop(error, &exchange) }
        exchange.state = state
        exchange.failures = 0
        return load(exchange)
    }
}

extension SyncError {
    /// The change set that a refusal names.
    fileprivate var refusedDot: Dot? {
        guard let replica = details["replica"].flatMap({ ReplicaID($0) }),
            let sequence = details["sequence"].flatMap({ UInt64($0) })
        else { return nil }
        return Dot(replica: replica, sequence: sequence)
    }

    fileprivate static let otherForm = SyncError(
        .forked,
        "Can't push because the zone has a change set in another form and does not send it. "
            + "Report it to the server's operator.")
}

// MARK: - Steps

/// The store renames its branch of a forked history, because the log's branch is before its horizon
/// and can't be pulled.
package struct RenamingBranch: StoreStep {
    let dot: Dot
    let origin: Digest?
    /// The reason why the push stops if there is nothing to rename.
    let error: SyncError
    package var description: String { "yield \(dot.sequence)" }

    package func perform(on store: StoreExecutor) throws -> SyncState? {
        try store.renameBranch(dot, to: origin)
    }

    package func next(
        _ state: SyncState?, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        machine.pushRewritten(state, orElse: error, &exchange)
    }
}

/// The store gives a change set, and those that follow it, later times than the zone's log has for
/// its predecessor.
package struct RaisingTimes: StoreStep {
    let dot: Dot
    let floor: HybridTimestamp
    /// The reason why the push stops if there is nothing to raise.
    let error: SyncError
    package var description: String { "raise \(dot.sequence)" }

    package func perform(on store: StoreExecutor) throws -> SyncState? {
        try store.raise(dot, above: floor)
    }

    package func next(
        _ state: SyncState?, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        machine.pushRewritten(state, orElse: error, &exchange)
    }
}

/// The store adopts the log's forms of pushed change sets that are before its horizon.
package struct TakingForms: StoreStep {
    package let forms: [Acknowledged]
    let horizon: CausalContext.Prefix
    package var description: String { "take forms of \(forms.count)" }

    package func perform(on store: StoreExecutor) throws -> SyncState? {
        try store.takeForms(forms, beneath: horizon)
    }

    package func next(
        _ state: SyncState?, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        machine.pushRewritten(state, orElse: .otherForm, &exchange)
    }
}
