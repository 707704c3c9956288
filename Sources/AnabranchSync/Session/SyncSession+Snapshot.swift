internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// A store that begins, or comes back from before the horizon: what it has goes up first, then the
// zone's state comes down whole.
extension SyncSession {
    /// What the zone has, by its log or by a snapshot.
    mutating func receive(at moment: Moment) -> Action {
        guard exchange.needsSnapshot else { return pull(at: moment) }
        return exchange.state.pendingCount > 0 && !exchange.isPushOver
            ? load() : takeSnapshot(at: moment)
    }

    /// Asks for the next chunk, or loads what has come whole.
    mutating func takeSnapshot(at moment: Moment) -> Action {
        // Another process may have loaded one.
        guard exchange.needsSnapshot else { return pull(at: moment) }
        guard let staged = usefulStage else { return ask(nil, 0, at: moment) }
        guard staged.isWhole else {
            let name = SnapshotName(cursor: staged.cursor, digest: staged.digest)
            return ask(name, staged.held, at: moment)
        }
        // What was saved while it came goes up first, too.
        guard exchange.state.pendingCount == 0 || exchange.outcome.blockedBy != nil else {
            return load()
        }
        phase = .loadingSnapshot
        return .store(.loadSnapshot(isPushBlocked: isPushBlocked))
    }

    /// Whether the push was stopped, rather than that it only failed as often as it may.
    private var isPushBlocked: Bool {
        guard let error = exchange.outcome.blockedBy else { return false }
        if case .retry = Disposition.of(error.code, isPushing: true) { return false }
        return true
    }

    /// What has come of a snapshot of the log that the zone has now.
    private var usefulStage: StagedSnapshot? {
        exchange.state.staged.flatMap { isUseful($0.cursor) ? $0 : nil }
    }

    /// Whether a snapshot of the log that the zone has now says more than is here.
    private func isUseful(_ snapshot: LogCursor) -> Bool {
        snapshot.epoch == zone?.epoch
            && (exchange.state.wantsSnapshot
                || snapshot.position > exchange.state.cursor?.position ?? 0)
    }

    private mutating func ask(
        _ name: SnapshotName?, _ number: UInt64, at moment: Moment
    ) -> Action {
        phase = .askingChunk(number)
        let request = SnapshotRequest(snapshot: name, number: number)
        return send(.snapshot, request.encoded(), at: moment)
    }

    mutating func receivedChunk(
        _ number: UInt64, _ body: [UInt8], at moment: Moment
    ) -> Action {
        let response: SnapshotResponse
        do {
            response = try SnapshotResponse(decoding: body)
            try check(response, answers: number)
        } catch {
            return damaged(error, at: moment)
        }
        exchange.failures = 0
        exchange.headPosition = max(exchange.headPosition, response.headPosition)
        learn(clockOf: response.wallMilliseconds, at: moment)
        guard isUseful(response.snapshot.cursor) else {
            // The whole log is less work than it seemed.
            exchange.isSnapshotAdvised = false
            return pull(at: moment)
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
                .unknownEpoch, "Can't take a snapshot of another epoch: say hello.")
        }
        guard isUseful(response.snapshot.cursor) || exchange.reachesLog else {
            throw ProtocolError(
                .malformedRequest, "Can't take a snapshot that says less than is here.")
        }
        guard response.chunkCount > number, number == 0 || isSame,
            response.snapshot.cursor.position <= response.headPosition
        else {
            throw ProtocolError(
                .malformedRequest,
                "Can't take chunk \(number) of a snapshot because it is of another one.")
        }
    }

    /// The zone has made a newer one meanwhile, or the epoch's is gone.
    mutating func beginSnapshotAgain(_ error: SyncError, at moment: Moment) -> Action {
        exchange.snapshots += 1
        guard exchange.snapshots < limits.retry.attempts else { return finish(error) }
        exchange.failures = 0
        return ask(nil, 0, at: moment)
    }

    /// Goes on with the log behind the snapshot, and with the push.
    mutating func loadedSnapshot(_ state: SyncState, at moment: Moment) -> Action {
        let before = exchange.state
        exchange.state = state
        guard state.cursor != before.cursor || before.wantsSnapshot && !state.wantsSnapshot else {
            // What had come was not what was sent, or the store has gone on by itself. What stays
            // waits for a push.
            if let error = exchange.outcome.blockedBy, state.staged?.isWhole == true {
                return finish(error)
            }
            exchange.isPushOver = exchange.outcome.blockedBy != nil
            exchange.snapshots += 1
            guard exchange.snapshots < limits.retry.attempts else {
                return finish(
                    SyncError(
                        .damagedResponse,
                        "Can't load a snapshot because what came is not what its name says, or "
                            + "because the store has gone on."))
            }
            return hello(at: moment)
        }
        exchange.isPushOver = false
        exchange.rounds = 0
        exchange.outcome.blockedBy = nil
        return pull(at: moment)
    }
}
