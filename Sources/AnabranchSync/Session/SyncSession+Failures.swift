internal import AnabranchProtocol
internal import AnabranchStore

extension SyncSession {
    /// Bytes that do not say what they should: asked for again, as long as the policy allows.
    mutating func damaged(_ error: ProtocolError, at moment: Moment) -> Action {
        let code: SyncError.Code =
            switch error.code {
            case .unsupportedVersion: .unsupportedVersion
            case .unknownEpoch: .unknownEpoch
            default: .damagedResponse
            }
        return failed(
            SyncError(code, error.message, details: error.details, underlying: error),
            serverDelay: nil, at: moment)
    }

    mutating func failed(
        _ error: SyncError, serverDelay: Duration?, at moment: Moment
    ) -> Action {
        exchange.failures += 1
        if case .keepingPart = phase { exchange.hasDamagedPart = true }
        switch Disposition.of(error.code, isPushing: isPushing) {
        case .retry(let final):
            return retry(orElse: final, error, serverDelay, at: moment)
        case .final(let final):
            return end(final, error, at: moment)
        case .sayHello:
            exchange.epochChanges += 1
            guard exchange.epochChanges < limits.retry.attempts else {
                return end(.stopExchange, error, at: moment)
            }
            exchange.failures = 0
            return hello(at: moment)
        case .beginSnapshot:
            return beginSnapshotAgain(error, at: moment)
        case .takeSnapshot:
            return wantSnapshot()
        case .sendParts:
            return sendParts(error, at: moment)
        case .restamp:
            return restamp(error, at: moment)
        case .pullThenPush:
            exchange.rounds += 1
            if let action = supply(for: error) ?? yieldName(for: error) { return action }
            guard exchange.rounds < limits.rounds, !exchange.needsSnapshot else {
                return end(.stopPush, error, at: moment)
            }
            exchange.failures = 0
            return pull(at: moment)
        case .smaller:
            return smaller(error, serverDelay, at: moment)
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
        orElse final: Disposition.Final, _ error: SyncError, _ serverDelay: Duration?,
        at moment: Moment
    ) -> Action {
        guard exchange.failures < limits.retry.attempts, let request else {
            return end(final, error, at: moment)
        }
        phase = .waiting(request)
        return .wait(
            limits.retry.delay(
                afterFailures: exchange.failures, draw: moment.draw, serverDelay: serverDelay))
    }

    /// What to ask for again.
    ///
    /// What the server acknowledged and the store could not write is pushed again: the answer is
    /// the same.
    private var request: Request? {
        switch phase {
        case .idle, .waiting: nil
        case .greeting, .probing: .hello
        case .noting, .renewing, .rewinding, .pulling, .applying, .fetchingPart, .keepingPart: .pull
        case .loading, .loadingPiece, .sendingPiece, .pushing, .acknowledging, .restamping,
            .supplying, .rewriting:
            .push
        case .loadingDebts, .asking, .repairing, .wantingSnapshot: .repair
        case .askingChunk, .staging, .loadingSnapshot: .snapshot
        case .askingChecksums, .comparing, .owing: .checksums
        }
    }

    mutating func repeated(_ request: Request, at moment: Moment) -> Action {
        switch request {
        case .hello: hello(at: moment)
        case .pull: pull(at: moment)
        case .push: load()
        case .repair: settleDebts(at: moment)
        case .snapshot: takeSnapshot(at: moment)
        case .checksums: verify(at: moment)
        }
    }

    /// A way that is slow, or a server that takes less than it said: half as much.
    private mutating func smaller(
        _ error: SyncError, _ serverDelay: Duration?, at moment: Moment
    ) -> Action {
        let canShrink = exchange.byteLimit > limits.leastBytes
        exchange.byteLimit = max(exchange.byteLimit / 2, limits.leastBytes)
        guard error.code == .bodyTooLarge else {
            return retry(orElse: .stopExchange, error, serverDelay, at: moment)
        }
        if case .pushing(let sets) = phase, canShrink, sets.count > 1 { return load() }
        if case .sendingPiece = phase, canShrink { return load() }
        return end(.stopPush, error, at: moment)
    }

    private mutating func end(
        _ final: Disposition.Final, _ error: SyncError, at moment: Moment
    ) -> Action {
        switch final {
        case .stopPush: return stopPush(error, at: moment)
        case .stopExchange: return finish(error)
        }
    }
}
