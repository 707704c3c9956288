package import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

/// Takes the zone's state as a snapshot, chunk by chunk.
///
/// A store takes one if it is new, if its cursor is before the horizon of the log, or if it can't
/// use the log. It pushes its own change sets first. The chunks stay in the store, so an
/// interrupted exchange continues behind them.
package struct SnapshotMachine: SessionMachine {
    package static let name = MachineName.snapshot
    package static var place: WritableKeyPath<SyncSession.Machines, Self> { \.snapshot }

    /// The number of snapshots that were begun in vain.
    var failedCount = 0
    /// The greatest number of chunks that the store has taken. One that comes again is no progress.
    var takenCount: UInt64 = 0

    /// Requests the next chunk, or loads the complete snapshot.
    package mutating func begin(_ exchange: inout Exchange, at input: StepInput) -> Move {
        // Another process may have loaded one.
        guard exchange.needsSnapshot else { return .leave(.isNotNeeded) }
        guard let staged = exchange.usefulStage else { return requestChunk(0, of: nil) }
        guard staged.isWhole else {
            return requestChunk(
                staged.held, of: SnapshotName(cursor: staged.cursor, digest: staged.digest))
        }
        // Saves of the meantime are pushed first, too.
        guard !exchange.state.hasPending || exchange.outcome.blockedBy != nil else {
            return .leave(.mustPush)
        }
        return .store(LoadingSnapshot(isPushBlocked: exchange.isPushBlocked))
    }

    /// Lets the store record that it needs a snapshot.
    mutating func want(_ exchange: inout Exchange) -> Move {
        exchange.failures = 0
        return .store(WantingSnapshot())
    }

    package mutating func resume(
        after step: some SessionStep, _ exchange: inout Exchange, at input: StepInput
    ) -> Move {
        step is WantingSnapshot ? .store(WantingSnapshot()) : begin(&exchange, at: input)
    }

    private func requestChunk(_ number: UInt64, of name: SnapshotName?) -> Move {
        .send(RequestingChunk(number: number), SnapshotRequest(snapshot: name, number: number))
    }

    /// Begins with the newest snapshot, because the zone has replaced the one before, or its epoch
    /// has ended.
    package mutating func react(
        to failure: StepFailure, _ exchange: inout Exchange, at input: StepInput
    ) -> Move? {
        guard case .beginSnapshot = failure.reaction else { return nil }
        failedCount += 1
        guard failedCount < exchange.limits.retry.attempts else { return .stop(failure.error) }
        exchange.failures = 0
        return requestChunk(0, of: nil)
    }
}

extension Exchange {
    /// Indicates whether the push was stopped for good. The result is `false` if it only failed as
    /// often as the policy allows.
    fileprivate var isPushBlocked: Bool {
        guard let error = outcome.blockedBy else { return false }
        if case .retry = FailureReaction.of(error.code, isPushing: true) { return false }
        return true
    }

    /// The received chunks of a snapshot, if it is one of the zone's present log.
    fileprivate var usefulStage: StagedSnapshot? {
        state.staged.flatMap { isUseful($0.cursor) ? $0 : nil }
    }

    /// Indicates whether a snapshot belongs to the zone's present log and says more than the store
    /// holds.
    fileprivate func isUseful(_ snapshot: LogCursor) -> Bool {
        snapshot.epoch == zone?.epoch && (state.wantsSnapshot || snapshot.position > position)
    }
}

// MARK: - Steps

/// The store records that it needs a snapshot.
package struct WantingSnapshot: StoreStep {
    package var description: String { "want snapshot" }

    package func perform(on side: StoreExecutor) throws -> SyncState {
        try side.state { try $0.wantSnapshot() }
    }

    package func next(
        _ state: SyncState, _ machine: inout SnapshotMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> SnapshotMachine.Move {
        exchange.state = state
        return .leave(.isWanted)
    }
}

/// Asks the zone for a chunk of a snapshot.
package struct RequestingChunk: RequestStep {
    package static let endpoint = SyncEndpoint.snapshot
    let number: UInt64

    package func next(
        _ response: SnapshotResponse, _ machine: inout SnapshotMachine,
        _ exchange: inout Exchange, at input: StepInput
    ) throws(ProtocolError) -> SnapshotMachine.Move {
        try check(response, exchange)
        exchange.learn(head: response.headPosition, clock: response.wallMilliseconds, at: input)
        guard exchange.isUseful(response.snapshot.cursor) else {
            // The log is less work than the zone had said.
            exchange.isSnapshotAdvised = false
            exchange.failures = 0
            return .leave(.isNotNeeded)
        }
        let snapshot = StagedSnapshot(
            cursor: response.snapshot.cursor, digest: response.snapshot.digest,
            chunkCount: response.chunkCount)
        return .store(StagingChunk(chunk: response.chunk, number: number, snapshot: snapshot))
    }

    private func check(_ response: SnapshotResponse, _ exchange: Exchange) throws(ProtocolError) {
        let staged = exchange.state.staged
        let isSame =
            staged?.cursor == response.snapshot.cursor
            && staged?.digest == response.snapshot.digest
            && staged?.chunkCount == response.chunkCount
        guard response.snapshot.cursor.epoch == exchange.zone?.epoch else {
            throw ProtocolError(
                .unknownEpoch, "Can't use the snapshot because it is of another epoch. Say hello.")
        }
        guard exchange.isUseful(response.snapshot.cursor) || exchange.reachesLog else {
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
}

/// The store keeps a chunk.
package struct StagingChunk: StoreStep {
    let chunk: [UInt8]
    let number: UInt64
    let snapshot: StagedSnapshot
    package var description: String { "stage \(number) of \(snapshot.chunkCount)" }

    package func perform(on side: StoreExecutor) throws -> SyncState {
        try side.state { try $0.stage(chunk, number: number, of: snapshot) }
    }

    package func next(
        _ state: SyncState, _ machine: inout SnapshotMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> SnapshotMachine.Move {
        exchange.state = state
        if number >= machine.takenCount {
            machine.takenCount = number + 1
            exchange.failures = 0
        }
        return machine.begin(&exchange, at: input)
    }
}

/// The store takes over a complete snapshot.
package struct LoadingSnapshot: StoreStep {
    /// Indicates whether the zone refuses the store's saves for good, so that the snapshot need not
    /// wait for their push.
    let isPushBlocked: Bool
    package var description: String { "load snapshot\(isPushBlocked ? ", blocked" : "")" }

    package func perform(on side: StoreExecutor) throws -> ContentAnswer {
        try side.changed {
            try $0.loadSnapshot(isPushBlocked: isPushBlocked) ?? ChangedRecords()
        }
    }

    /// The exchange ends with an error after the allowed attempts, or if the zone refuses a save
    /// that must be pushed first.
    package func next(
        _ answer: ContentAnswer, _ machine: inout SnapshotMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> SnapshotMachine.Move {
        let before = exchange.state
        let state = answer.state
        exchange.state = state
        guard state.cursor == before.cursor, !before.wantsSnapshot || state.wantsSnapshot else {
            return .leave(.isLoaded)
        }
        // A snapshot that is still staged waits for a push.
        if let error = exchange.outcome.blockedBy, state.staged?.isWhole == true {
            return .stop(error)
        }
        machine.failedCount += 1
        guard machine.failedCount < exchange.limits.retry.attempts else {
            return .stop(
                SyncError(
                    .damagedResponse,
                    "Can't load the snapshot because its chunks do not match its name, or "
                        + "because another process has changed the store. Try again."))
        }
        return .leave(.isNotLoaded)
    }
}
