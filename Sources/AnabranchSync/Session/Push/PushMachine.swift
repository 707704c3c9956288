package import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

/// Pushes the unpushed change sets of the store, batch by batch, and stores the zone's
/// acknowledgements.
///
/// A change set that is too large for a request is divided, or rejected if that does not suffice.
///
/// A refusal may have a remedy: parts that the zone lacks are sent, times ahead of the server's
/// clock are made earlier, change sets that a restored zone lacks are supplied, and names or forms
/// that the zone has already are taken from it. Otherwise the push ends. The change sets stay in
/// the store's log, and the exchange continues.
package struct PushMachine: SessionMachine {
    package static let name = MachineName.push
    package static var place: WritableKeyPath<SyncSession.Machines, Self> { \.push }

    /// Indicates whether the push is complete or stopped.
    var isOver = false
    /// The number of times that the push went back to pulling since the zone acknowledged a change
    /// set in the store's form.
    var rounds = 0
    /// The change set that the zone's last answer has refused.
    var refused: ChangeSet?
    /// The number of times that the zone found a timestamp too far in the future since it last took
    /// a change set.
    var restamps = 0
    var parts = PartProgress()
    /// The change sets that were supplied last.
    var supplied: MissingChangeSets?

    package mutating func begin(_ exchange: inout Exchange, at input: StepInput) -> Move {
        load(exchange)
    }

    /// Begins a push that has all its rounds again, because the log has changed.
    mutating func startAnew() {
        isOver = false
        rounds = 0
    }

    /// Loads unpushed change sets from the store.
    func load(_ exchange: Exchange) -> Move {
        let limits = exchange.limits
        return .store(
            LoadingPending(
                byteLimit: exchange.batchBytes, countLimit: limits.batchCount,
                refusesForeignZone: limits.refusesForeignZone))
    }

    /// Pushes the first change sets, as many as fit into one request.
    ///
    /// - Parameter sets: The unpushed change sets; not empty.
    mutating func push(_ sets: [StoredLogEntry], _ exchange: inout Exchange) -> Move {
        let (batch, bodies) = exchange.batch(of: sets)
        guard !batch.isEmpty else { return divide(sets[0], exchange) }
        refused = nil
        return .send(Pushing(batch: batch), PushRequest(epoch: exchange.epoch, changeSets: bodies))
    }

    /// Ends the push with an error. The exchange continues.
    mutating func stop(_ error: SyncError, _ exchange: inout Exchange) -> Move {
        exchange.outcome.blockedBy = error
        exchange.failures = 0
        isOver = true
        return .leave(.isOver)
    }
}

// MARK: - Batches

extension Exchange {
    /// The number of bytes of change sets that fit into a push beside the other fields of the
    /// request.
    var batchBytes: Int { max(min(byteLimit, limits.batchBytes, bodyRoom), 1) }

    private var bodyRoom: Int { largestBody - Self.requestOverhead }

    /// The greatest number of bytes of a change set that a push can carry.
    var changeSetRoom: Int { bodyRoom - Self.lengthPrefix }

    /// The bytes for version, epoch, count and seal, with a reserve.
    private static let requestOverhead = 64
    /// The bytes for the length before each change set, with a reserve.
    private static let lengthPrefix = 5

    /// The first change sets that fit together into one request. A change set beyond the batch's
    /// limit is sent alone if the server accepts it.
    fileprivate func batch(of sets: [StoredLogEntry]) -> ([StoredLogEntry], [[UInt8]]) {
        var batch: [StoredLogEntry] = []
        var bodies: [[UInt8]] = []
        var byteCount = 0
        for set in sets.prefix(limits.batchCount) {
            let body = set.changeSet.encoded()
            byteCount += body.count + Self.lengthPrefix
            guard byteCount <= (batch.isEmpty ? bodyRoom : batchBytes) else { break }
            batch.append(set)
            bodies.append(body)
        }
        return (batch, bodies)
    }

    func tooLarge(_ set: StoredLogEntry) -> SyncError {
        SyncError(
            .bodyTooLarge,
            "Can't push \(set.changeSet.dot) because it is larger than the \(largestBody) bytes "
                + "that the server accepts. Raise the server's limit.",
            details: ["dot": "\(set.changeSet.dot)", "limit": "\(largestBody)"])
    }
}

// MARK: - Refusals

extension PushMachine {
    package mutating func react(
        to failure: StepFailure, _ exchange: inout Exchange, at input: StepInput
    ) -> Move? {
        let error = failure.error
        switch failure.reaction {
        case .sendParts: return sendParts(error, &exchange)
        case .restamp: return restamp(error, &exchange, at: input)
        case .pullThenPush: return pullThenPush(error, &exchange)
        case .smaller where error.code == .bodyTooLarge:
            return pushLess(after: failure, &exchange)
        case .final(.stopPush): return stop(error, &exchange)
        default: return nil
        }
    }

    /// Pulls, then pushes again, because the client does not know what the zone lacks or has.
    private mutating func pullThenPush(_ error: SyncError, _ exchange: inout Exchange) -> Move {
        rounds += 1
        let remedy =
            supply(for: error, &exchange) ?? renameBranch(for: error, &exchange)
            ?? raise(for: error, &exchange)
        if let remedy { return remedy }
        guard rounds < exchange.limits.rounds, !exchange.needsSnapshot else {
            return stop(error, &exchange)
        }
        exchange.failures = 0
        return .leave(.needsPull)
    }
}

// MARK: - Steps

/// The store loads its first unpushed change sets.
package struct LoadingPending: StoreStep {
    let byteLimit: Int
    let countLimit: Int
    let refusesForeignZone: Bool
    package var description: String { "load" }

    package func perform(on side: StoreExecutor) throws -> PendingAnswer {
        if refusesForeignZone, let entities = try side.store.zoneEntities().foreign {
            throw SyncError(ForeignZone(entities))
        }
        let state = try side.store.syncStateAsLeft()
        guard state.hasPending else { return PendingAnswer(sets: [], state: state) }
        let sets = try side.store.pending(byteLimit: byteLimit, countLimit: countLimit)
        // No replica may ever hold a save that its author can forget after a crash.
        try side.store.flushBeforePush()
        return PendingAnswer(sets: sets, state: try side.store.syncStateAsLeft())
    }

    package func next(
        _ answer: PendingAnswer, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        exchange.state = answer.state
        guard !answer.sets.isEmpty else {
            machine.isOver = true
            return .leave(.isOver)
        }
        return machine.push(answer.sets, &exchange)
    }
}

/// The zone takes a batch of change sets, or refuses one of them.
package struct Pushing: RequestStep {
    package static let endpoint = SyncEndpoint.push
    let batch: [StoredLogEntry]

    package func next(
        _ response: PushResponse, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) throws(ProtocolError) -> PushMachine.Move {
        let taken = try acknowledgements(response)
        exchange.learn(head: response.headPosition, clock: response.wallMilliseconds, at: input)
        machine.refused =
            response.refusal == nil ? nil : batch.dropFirst(taken.count).first?.changeSet
        guard !taken.isEmpty else {
            return response.refusal.map { .fail(SyncError($0)) } ?? machine.load(exchange)
        }
        exchange.failures = 0
        machine.parts = PartProgress()
        // A set that was saved meanwhile may be ahead again: that is no round without progress.
        machine.restamps = 0
        exchange.outcome.pushedChangeSets += taken.count { $0.rejection == nil }
        let acknowledged = zip(batch, taken).map { set, taken in
            Acknowledged(
                set, position: taken.position, dot: taken.dot, timestamp: taken.timestamp,
                digest: taken.digest, rejection: taken.rejection)
        }
        let otherForms = zip(batch, acknowledged).filter { set, taken in
            let form = set.changeSet.form(after: taken.rejection)
            return taken.digest != form.digest || taken.dot != form.dot
        }.map(\.1)
        if otherForms.count < acknowledged.count { machine.rounds = 0 }
        return .store(
            Acknowledging(
                acknowledged: acknowledged, otherForms: otherForms, refusal: response.refusal,
                epoch: exchange.epoch))
    }

    /// The acknowledgements of the batch's first change sets.
    ///
    /// Each belongs to the change set at its place: the log has it in the form in which it was
    /// sent, or it has that change set's dot, or its origin if the log held the save under another
    /// dot.
    private func acknowledgements(
        _ response: PushResponse
    ) throws(ProtocolError) -> [PushResponse.Acknowledgement] {
        let taken = try response.acknowledgements(of: batch.map { .init($0.changeSet) })
        guard taken.count == batch.count || response.refusal != nil else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a push of \(batch.count) change sets because it "
                    + "acknowledges \(taken.count) and refuses none.")
        }
        for (set, taken) in zip(batch, taken) where taken.dot != set.changeSet.dot {
            guard taken.originPrefix == set.changeSet.origin.prefix else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't read the answer to a push because it acknowledges \(taken.dot) in "
                        + "the place of \(set.changeSet.dot).")
            }
        }
        return taken
    }
}

/// The store records what the zone has taken.
package struct Acknowledging: StoreStep {
    package let acknowledged: [Acknowledged]
    /// The change sets that the zone's log has under another dot, timestamp or digest.
    let otherForms: [Acknowledged]
    /// The refusal of the next change set; `nil` if all were taken.
    let refusal: ProtocolError?
    let epoch: EpochID
    package var description: String { "acknowledge \(acknowledged.count)" }

    package func perform(on side: StoreExecutor) throws -> SyncState {
        try side.state { side.show(try $0.acknowledge(acknowledged, epoch: epoch)) }
    }

    /// The store must adopt the log's other forms. Otherwise the refusal is handled, or the next
    /// change sets are loaded.
    package func next(
        _ state: SyncState, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        exchange.state = state
        guard otherForms.isEmpty else { return machine.adopt(otherForms, &exchange) }
        return refusal.map { .fail(SyncError($0)) } ?? machine.load(exchange)
    }
}
