package import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

/// Finds out which log the zone has, and where the store's cursor is in it.
///
/// If the zone does not know the cursor, it went backwards: it was restored from a backup or
/// created anew. Then the last position that both logs share is searched, and the store's cursor is
/// moved back to it.
package struct HelloMachine: SessionMachine {
    package static let name = MachineName.hello
    package static var place: WritableKeyPath<SyncSession.Machines, Self> { \.hello }

    /// The number of times that the zone had another epoch than it said. It may begin a new one at
    /// any time.
    var epochChanges = 0

    package mutating func begin(_ exchange: inout Exchange, at input: StepInput) -> Move {
        .send(Greeting(), HelloRequest(of: exchange, cursor: exchange.state.cursor, at: input))
    }

    /// Continues when the zone knows the cursor.
    mutating func found(_ response: HelloResponse, _ exchange: inout Exchange) -> Move {
        let epoch = response.epoch
        guard exchange.state.epochsAhead.isSubset(of: [epoch]) else {
            // Entries that an earlier epoch acknowledged ahead of the cursor may be missing in this
            // one, so they are pushed again.
            let cursor = exchange.state.cursor ?? LogCursor(startOf: epoch)
            return .store(Rewinding(cursor: cursor.inEpoch(epoch)))
        }
        let epochs = response.earlierEpochs + [epoch]
        guard exchange.state.epochs.isSuperset(of: epochs) else {
            return .store(RecordingEpochs(epochs: epochs, response: response))
        }
        return finish(response, &exchange)
    }

    /// Ends the greeting. If the zone holds more saves of this replica than the store, the file was
    /// copied or restored, and its next save must have another replica.
    mutating func finish(_ response: HelloResponse, _ exchange: inout Exchange) -> Move {
        exchange.startPosition = response.startPosition
        exchange.isSnapshotAdvised = response.isSnapshotAdvised
        let known = exchange.state.last?.sequence ?? 0
        guard response.lastSequence > known else { return .leave(.isKnown) }
        return .store(RenewingIdentity(lastSequence: response.lastSequence))
    }
}

extension HelloRequest {
    /// - Parameter cursor: The cursor that the zone is asked about.
    init(of exchange: Exchange, cursor: LogCursor?, at input: StepInput) {
        let state = exchange.state
        self.init(
            replica: state.replica,
            last: state.last.map { Head(sequence: $0.sequence, origin: $0.origin) },
            cursor: cursor, wallMilliseconds: input.wallMilliseconds)
    }
}

extension LogCursor {
    /// The same position of the log under a later epoch.
    func inEpoch(_ epoch: EpochID) -> LogCursor {
        LogCursor(epoch: epoch, position: position, digestHigh: digestHigh, digestLow: digestLow)
    }
}

// MARK: - Steps

/// Asks the zone whether it knows the store's cursor.
package struct Greeting: RequestStep {
    package static let endpoint = SyncEndpoint.hello

    package func next(
        _ response: HelloResponse, _ machine: inout HelloMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> HelloMachine.Move {
        exchange.learn(response, at: input)
        guard let cursor = exchange.state.cursor, !response.isCursorKnown else {
            return machine.found(response, &exchange)
        }
        return machine.searchFork(of: cursor, response, &exchange)
    }
}

/// The store records the epochs of the zone.
package struct RecordingEpochs: StoreStep {
    let epochs: [EpochID]
    let response: HelloResponse
    package var description: String { "record \(epochs.count) epochs" }

    package func perform(on side: StoreExecutor) throws -> SyncState {
        try side.state { try $0.recordEpochs(epochs) }
    }

    package func next(
        _ state: SyncState, _ machine: inout HelloMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> HelloMachine.Move {
        exchange.state = state
        return machine.finish(response, &exchange)
    }
}

/// The store's next save gets a new replica ID.
package struct RenewingIdentity: StoreStep {
    let lastSequence: UInt64
    package var description: String { "renew below \(lastSequence)" }

    package func perform(on side: StoreExecutor) throws {
        // The store may have caught up with the zone meanwhile.
        let last = try side.store.syncState().last?.sequence ?? 0
        if last < lastSequence { try side.store.renewIdentity() }
    }

    package func next(
        _: Void, _ machine: inout HelloMachine, _ exchange: inout Exchange, at input: StepInput
    ) -> HelloMachine.Move {
        .leave(.isKnown)
    }
}

/// The store moves its cursor back.
package struct Rewinding: StoreStep {
    let cursor: LogCursor
    package var description: String { "rewind to \(cursor.position)" }

    package func perform(on side: StoreExecutor) throws -> RewindAnswer {
        let copy = try side.store.rewind(to: cursor)
        return RewindAnswer(state: try side.store.syncStateAsLeft(), keptCopy: copy)
    }

    package func next(
        _ answer: RewindAnswer, _ machine: inout HelloMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> HelloMachine.Move {
        exchange.state = answer.state
        exchange.outcome.keptCopy = answer.keptCopy ?? exchange.outcome.keptCopy
        return .leave(.hasRewound)
    }
}
