internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// A store that is new, or has a cursor before the horizon, takes the zone's state as a snapshot. It
// pushes its own change sets first.
extension SyncSession {
    /// Receives the zone's contents, by its log or by a snapshot.
    mutating func receive(at input: StepInput) -> Action {
        guard exchange.needsSnapshot else { return pull(at: input) }
        return exchange.state.hasPending && !exchange.isPushOver
            ? load() : takeSnapshot(at: input)
    }

    /// Requests the next chunk, or loads the complete snapshot.
    mutating func takeSnapshot(at input: StepInput) -> Action {
        // Another process may have loaded one.
        guard exchange.needsSnapshot else { return pull(at: input) }
        guard let staged = usefulStage else { return ask(nil, 0, at: input) }
        guard staged.isWhole else {
            let name = SnapshotName(cursor: staged.cursor, digest: staged.digest)
            return ask(name, staged.held, at: input)
        }
        // Saves of the meantime are pushed first, too.
        guard !exchange.state.hasPending || exchange.outcome.blockedBy != nil else {
            return load()
        }
        phase = .loadingSnapshot
        return .store(.loadSnapshot(isPushBlocked: isPushBlocked))
    }

    /// Indicates whether the push was stopped for good. The result is `false` if it only failed as
    /// often as the policy allows.
    private var isPushBlocked: Bool {
        guard let error = exchange.outcome.blockedBy else { return false }
        if case .retry = FailureReaction.of(error.code, isPushing: true) { return false }
        return true
    }

    /// The received chunks of a snapshot, if it is one of the zone's present log.
    private var usefulStage: StagedSnapshot? {
        exchange.state.staged.flatMap { isUseful($0.cursor) ? $0 : nil }
    }

    /// Indicates whether a snapshot belongs to the zone's present log and says more than the store
    /// holds.
    private func isUseful(_ snapshot: LogCursor) -> Bool {
        snapshot.epoch == zone?.epoch
            && (exchange.state.wantsSnapshot
                || snapshot.position > exchange.state.cursor?.position ?? 0)
    }

    private mutating func ask(
        _ name: SnapshotName?, _ number: UInt64, at input: StepInput
    ) -> Action {
        phase = .askingChunk(number)
        let request = SnapshotRequest(snapshot: name, number: number)
        return send(.snapshot, request.encoded(), at: input)
    }

    /// Checks a received chunk, and stores it.
    mutating func receivedChunk(
        _ number: UInt64, _ body: [UInt8], at input: StepInput
    ) -> Action {
        let response: SnapshotResponse
        do {
            response = try SnapshotResponse(decoding: body)
            try check(response, answers: number)
        } catch {
            return damaged(error, at: input)
        }
        exchange.failures = 0
        exchange.headPosition = max(exchange.headPosition, response.headPosition)
        learn(clockOf: response.wallMilliseconds, at: input)
        guard isUseful(response.snapshot.cursor) else {
            // The log is less work than the zone had said.
            exchange.isSnapshotAdvised = false
            return pull(at: input)
        }
        phase = .staging
        return .store(
            .stage(
                response.chunk, number: number,
                of: StagedSnapshot(
                    cursor: response.snapshot.cursor, digest: response.snapshot.digest,
                    chunkCount: response.chunkCount)))
    }

    private func check(
        _ response: SnapshotResponse, answers number: UInt64
    ) throws(ProtocolError) {
        let staged = exchange.state.staged
        let isSame =
            staged?.cursor == response.snapshot.cursor
            && staged?.digest == response.snapshot.digest
            && staged?.chunkCount == response.chunkCount
        guard response.snapshot.cursor.epoch == zone?.epoch else {
            throw ProtocolError(
                .unknownEpoch, "Can't use the snapshot because it is of another epoch. Say hello.")
        }
        guard isUseful(response.snapshot.cursor) || exchange.reachesLog else {
            throw ProtocolError(
                .malformedRequest,
                "Can't use the snapshot because the store holds more than it contains.")
        }
        guard response.chunkCount > number, number == 0 || isSame,
            response.snapshot.cursor.position <= response.headPosition
        else {
            throw ProtocolError(
                .malformedRequest,
                "Can't use chunk \(number) because it belongs to another snapshot.")
        }
    }

    /// Begins with the newest snapshot, because the zone has replaced the one before, or its epoch
    /// has ended.
    mutating func beginSnapshotAgain(_ error: SyncError, at input: StepInput) -> Action {
        exchange.snapshots += 1
        guard exchange.snapshots < limits.retry.attempts else { return finish(error) }
        exchange.failures = 0
        return ask(nil, 0, at: input)
    }

    /// Pulls the entries after the loaded snapshot; the push follows.
    ///
    /// If the store did not load the snapshot, the session says hello again. The exchange ends with
    /// an error after the allowed attempts, or if the zone refuses a save that must be pushed
    /// first.
    mutating func loadedSnapshot(_ state: SyncState, at input: StepInput) -> Action {
        let before = exchange.state
        exchange.state = state
        guard state.cursor != before.cursor || before.wantsSnapshot && !state.wantsSnapshot else {
            // The chunks were damaged, or another process has moved the cursor. A snapshot that is
            // still staged waits for a push.
            if let error = exchange.outcome.blockedBy, state.staged?.isWhole == true {
                return finish(error)
            }
            exchange.isPushOver = exchange.outcome.blockedBy != nil
            exchange.snapshots += 1
            guard exchange.snapshots < limits.retry.attempts else {
                return finish(
                    SyncError(
                        .damagedResponse,
                        "Can't load the snapshot because its chunks do not match its name, or "
                            + "because another process has changed the store. Try again."))
            }
            return hello(at: input)
        }
        exchange.isPushOver = false
        exchange.rounds = 0
        exchange.outcome.blockedBy = nil
        return pull(at: input)
    }
}
