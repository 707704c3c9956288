internal import AnabranchProtocol
internal import AnabranchStore

extension SyncSession {
    /// Reacts to a malformed answer: the request is repeated as often as the policy allows.
    mutating func damaged(_ error: ProtocolError, at input: StepInput) -> Action {
        let code: SyncError.Code =
            switch error.code {
            case .unsupportedVersion: .unsupportedVersion
            case .unknownEpoch: .unknownEpoch
            default: .damagedResponse
            }
        return failed(
            SyncError(code, error.message, details: error.details, underlying: error),
            serverDelay: nil, at: input)
    }

    /// Reacts to a failure of the present request as `FailureReaction` says.
    mutating func failed(
        _ error: SyncError, serverDelay: Duration?, at input: StepInput
    ) -> Action {
        exchange.failures += 1
        if let action = fallBack(from: error, at: input) { return action }
        if case .keepingPart = phase { exchange.hasDamagedPart = true }
        switch FailureReaction.of(error.code, isPushing: isPushing) {
        case .retry(let final):
            return retry(orElse: final, error, serverDelay, at: input)
        case .final(let final):
            return end(final, error, at: input)
        case .sayHello:
            return greetAgain(after: error, at: input)
        case .beginSnapshot:
            return beginSnapshotAgain(error, at: input)
        case .takeSnapshot:
            return wantSnapshot()
        case .sendParts:
            return sendParts(error, at: input)
        case .restamp:
            return restamp(error, at: input)
        case .pullThenPush:
            exchange.rounds += 1
            if let action = supply(for: error) ?? renameBranch(for: error) { return action }
            guard exchange.rounds < limits.rounds, !exchange.needsSnapshot else {
                return end(.stopPush, error, at: input)
            }
            exchange.failures = 0
            return pull(at: input)
        case .smaller:
            return smaller(error, serverDelay, at: input)
        }
    }

    /// Asks which log the zone has now.
    ///
    /// A zone may begin another epoch at any time, and as often as it is restored: every time the
    /// answer is to say hello. From the fifth time on the session waits before it does, and after
    /// `SessionLimits.epochChanges` the zone contradicts itself.
    private mutating func greetAgain(after error: SyncError, at input: StepInput) -> Action {
        exchange.epochChanges += 1
        let attempts = limits.retry.attempts
        let limit = error.code == .unknownEpoch ? limits.epochChanges : attempts
        guard exchange.epochChanges < limit else { return end(.stopExchange, error, at: input) }
        exchange.failures = 0
        guard exchange.epochChanges >= attempts else { return hello(at: input) }
        phase = .waiting(.hello)
        let failures = exchange.epochChanges - attempts + 1
        return .wait(limits.retry.delay(afterFailures: failures, draw: input.draw))
    }

    /// Replaces the store's records by a snapshot if the present page of the zone's log can't be
    /// used: the same page would come again for ever.
    ///
    /// That is so if the store refuses the page, because it contradicts what the store holds, or if
    /// the page can't be read or does not match its cursor as often as the policy allows. The push
    /// comes before the snapshot and shows which saves are of another branch. The outcome says why
    /// the snapshot was needed. If a page after the snapshot can't be used either, the exchange
    /// ends and says so.
    ///
    /// A page with a time that no clock shows gets no snapshot, which would have the same time. The
    /// error says which clock to set.
    ///
    /// - Returns: `nil` if it is another failure, or if the page may still arrive undamaged.
    private mutating func fallBack(from error: SyncError, at input: StepInput) -> Action? {
        guard isPageUnusable(because: error) else { return nil }
        guard exchange.outcome.snapshotReason == nil else {
            return finish(
                SyncError(
                    .unusableLog,
                    "Can't apply the zone's log, also after a snapshot: \(error.message) The "
                        + "store keeps everything that was saved in it. Ask the server's operator "
                        + "to run 'anabranchd zone verify'. If the zone is intact, export the "
                        + "store as a bundle, import that into a new store, and sync the new "
                        + "store.",
                    details: error.details, underlying: error))
        }
        exchange.outcome.snapshotReason = error
        exchange.unusablePage = ("", 0)
        exchange.isPushOver = false
        exchange.rounds = 0
        return wantSnapshot()
    }

    /// Indicates whether the present page of the zone's log will never be applied.
    private func isPageUnusable(because error: SyncError) -> Bool {
        switch (phase, error.code) {
        case (.applying, .forked): true
        case (.applying, .damagedResponse): exchange.failures >= limits.retry.attempts
        // A bad connection damages other bytes each time, so other failures do not count here.
        case (.pulling, .damagedResponse):
            exchange.unusablePage.count >= limits.retry.attempts
        default: false
        }
    }

    private var isPushing: Bool {
        switch phase {
        case .loading, .loadingPiece, .sendingPiece, .pushing, .acknowledging, .restamping,
            .supplying, .rewriting:
            true
        default: false
        }
    }

    private mutating func retry(
        orElse final: FailureReaction.Final, _ error: SyncError, _ serverDelay: Duration?,
        at input: StepInput
    ) -> Action {
        guard exchange.failures < limits.retry.attempts, let request else {
            return end(final, error, at: input)
        }
        phase = .waiting(request)
        return .wait(
            limits.retry.delay(
                afterFailures: exchange.failures, draw: input.draw, serverDelay: serverDelay))
    }

    /// The request to repeat in the present phase.
    ///
    /// If the store could not write acknowledgements, the change sets are pushed again. The zone
    /// acknowledges them again.
    private var request: Request? {
        switch phase {
        case .idle, .waiting: nil
        case .greeting, .probing: .hello
        case .recordingEpochs, .renewing, .rewinding, .pulling, .applying, .fetchingPart,
            .keepingPart:
            .pull
        case .loading, .loadingPiece, .sendingPiece, .pushing, .acknowledging, .restamping,
            .supplying, .rewriting:
            .push
        case .loadingRepairQueue, .asking, .repairing, .wantingSnapshot: .repair
        case .askingChunk, .staging, .loadingSnapshot: .snapshot
        case .askingChecksums, .comparing, .queueingRepairs: .checksums
        }
    }

    /// Repeats a request after its delay.
    mutating func repeated(_ request: Request, at input: StepInput) -> Action {
        switch request {
        case .hello: hello(at: input)
        case .pull: pull(at: input)
        case .push: load()
        case .repair: requestRepairs(at: input)
        case .snapshot: takeSnapshot(at: input)
        case .checksums: verify(at: input)
        }
    }

    /// Repeats the request with half as many bytes, because the connection is slow or the server
    /// accepts less than it said.
    private mutating func smaller(
        _ error: SyncError, _ serverDelay: Duration?, at input: StepInput
    ) -> Action {
        let canShrink = exchange.byteLimit > limits.leastBytes
        exchange.byteLimit = max(exchange.byteLimit / 2, limits.leastBytes)
        guard error.code == .bodyTooLarge else {
            return retry(orElse: .stopExchange, error, serverDelay, at: input)
        }
        if case .pushing(let sets) = phase, canShrink, sets.count > 1 { return load() }
        if case .sendingPiece = phase, canShrink { return load() }
        return end(.stopPush, error, at: input)
    }

    private mutating func end(
        _ final: FailureReaction.Final, _ error: SyncError, at input: StepInput
    ) -> Action {
        switch final {
        case .stopPush: return stopPush(error, at: input)
        case .stopExchange: return finish(error)
        }
    }
}
