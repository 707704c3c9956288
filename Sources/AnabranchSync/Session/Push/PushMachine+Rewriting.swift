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
    func renameBranch(for error: SyncError, _ exchange: inout Exchange) -> Move? {
        guard error.code == .forked, isBeneathHorizon(exchange), let dot = error.refusedDot else {
            return nil
        }
        let origin = error.details["origin"].flatMap {
            [UInt8](hexadecimal: $0).flatMap { Digest(bytes: $0) }
        }
        return rewrite(RenamingBranch(dot: dot, origin: origin, error: error), &exchange)
    }

    /// Raises the time of the refused change set above the one that the log has for its
    /// predecessor.
    ///
    /// - Returns: `nil` if no pull was tried since, which may bring the predecessor with that time,
    ///   or if the error does not tell the time.
    func raise(for error: SyncError, _ exchange: inout Exchange) -> Move? {
        guard error.code == .timeOrder, rounds > 1, let dot = error.refusedDot,
            let time = error.details["predecessorTime"].flatMap({ UInt64($0) }),
            time < Limits.greatestTimestamp
        else { return nil }
        return rewrite(
            RaisingTimes(dot: dot, floor: HybridTimestamp(rawValue: time), error: error),
            &exchange)
    }

    /// Adopts the log's forms of pushed change sets: those that the acknowledgements named, or
    /// those that a pull brings if the log still reaches that far.
    mutating func adopt(_ forms: [Acknowledged], _ exchange: inout Exchange) -> Move {
        rounds += 1
        if isBeneathHorizon(exchange) {
            let start = max(exchange.startPosition, exchange.state.start?.position ?? 0)
            let horizon = CausalContext.Prefix(epoch: exchange.epoch, position: start)
            let step = TakingForms(forms: forms, horizon: horizon)
            if let move = rewrite(step, &exchange) { return move }
        }
        guard rounds < exchange.limits.rounds else { return stop(.otherForm, &exchange) }
        return .leave(.needsPull)
    }

    private func rewrite(_ step: some StoreStep, _ exchange: inout Exchange) -> Move? {
        exchange.mayTakeRemedy() ? .store(step) : nil
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

/// The store gives change sets another form, then they are pushed again.
package protocol RewritingStep: StoreStep where Machine == PushMachine, Answer == SyncState? {
    /// The reason why the push stops if the store had nothing to change.
    var error: SyncError { get }
}

extension RewritingStep {
    package func next(
        _ state: SyncState?, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        guard let state else { return machine.stop(error, &exchange) }
        exchange.state = state
        exchange.failures = 0
        // Change sets that were to be supplied may have another form now.
        machine.supplied = nil
        return machine.load(exchange)
    }
}

/// The store renames its branch of a forked history, because the log's branch is before its horizon
/// and can't be pulled.
package struct RenamingBranch: RewritingStep {
    let dot: Dot
    let origin: Digest?
    package let error: SyncError
    package var description: String { "yield \(dot.sequence)" }

    package func perform(on side: StoreExecutor) throws -> SyncState? {
        try side.rewritten { try $0.renameBranch(dot, to: origin) }
    }
}

/// The store gives a change set, and those that follow it, later times than the zone's log has for
/// its predecessor.
package struct RaisingTimes: RewritingStep {
    let dot: Dot
    let floor: HybridTimestamp
    package let error: SyncError
    package var description: String { "raise \(dot.sequence)" }

    package func perform(on side: StoreExecutor) throws -> SyncState? {
        try side.rewritten { try $0.raise(dot, above: floor) }
    }
}

/// The store adopts the log's forms of pushed change sets that are before its horizon.
package struct TakingForms: RewritingStep {
    package let forms: [Acknowledged]
    let horizon: CausalContext.Prefix
    package var error: SyncError { .otherForm }
    package var description: String { "take forms of \(forms.count)" }

    package func perform(on side: StoreExecutor) throws -> SyncState? {
        try side.rewritten { try $0.takeForms(forms, beneath: horizon) }
    }
}
