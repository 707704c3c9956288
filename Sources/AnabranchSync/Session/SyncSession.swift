internal import AnabranchProtocol
package import AnabranchReplication
package import AnabranchStore

/// The protocol state machine of a client: it decides the next step of an exchange between a store
/// and its zone.
///
/// The order is: hello, pull pages, push batches, pull again if the log has grown, repair, done.
/// The session is a value without I/O, clock, randomness or tasks: it takes one event and returns
/// one action. Everything that was applied or acknowledged is in the store. All other state may be
/// lost at any time, and the next exchange begins where the store is (invariant 8).
///
/// The pull comes first, and no refusal of a push stops it. The session says hello when the zone is
/// unknown, or when it does not know the cursor.
package struct SyncSession: Sendable {
    package let limits: SessionLimits
    /// The mechanisms that a simulation has switched off.
    let disabled: Set<Mechanism>
    /// The facts about the zone, kept from one exchange to the next.
    package internal(set) var zone: ZoneState?

    var phase = Phase.idle
    var exchange: Exchange

    /// The state of one exchange.
    struct Exchange {
        var state: SyncState
        var outcome = SyncOutcome()
        /// The position of the log's last entry, as far as it is known.
        var headPosition: UInt64 = 0
        /// The number of times that the zone had another epoch than it said. It may begin a new one
        /// at any time.
        var epochChanges = 0
        /// The position of the last entry that the zone's log has compacted to its name.
        var startPosition: UInt64 = 0
        /// Indicates whether the zone found a snapshot less work than its log for a client without
        /// a cursor.
        var isSnapshotAdvised = false
        /// Indicates whether the store can continue with the zone's log. It can't if it needs a
        /// snapshot, or if the log has compacted entries after the store's cursor.
        var reachesLog: Bool {
            !state.wantsSnapshot && state.cursor?.position ?? 0 >= startPosition
        }
        /// Indicates whether the log lacks entries that the store needs, or is more work than a
        /// snapshot.
        var needsSnapshot: Bool {
            !reachesLog || state.cursor == nil && isSnapshotAdvised
        }
        /// The number of snapshots that were begun.
        var snapshots = 0
        /// Indicates whether the push is complete or stopped.
        var isPushOver = false
        /// The search for the position at which the store's log and the zone's part.
        var search: ForkSearch?
        /// Indicates whether the zone's log was once the store's, even if no entry of it is left.
        ///
        /// It is so if the log is empty, has an epoch that the store knows, or holds the store's
        /// last save.
        var isRelated = false
        /// The zone's state of records that wait for repair, until the store's cursor has reached
        /// its position.
        var answer: RepairResponse?
        /// The progress of the comparison of both states, or `nil` if none was requested.
        var verification: VerificationProgress?
        /// The number of times that the zone found a timestamp too far in the future since it last
        /// took a change set.
        var restamps = 0
        /// The server's clock, as its last answer says.
        var serverMilliseconds: Int64?
        /// The number of times that the push went back to pulling since the zone acknowledged a
        /// change set in the store's form.
        var rounds = 0
        /// The change sets that were supplied last, and how often some were.
        var supplied: MissingChangeSets?
        var supplies = 0
        /// The change sets of the last push that the log has in another form.
        var otherForms: [Acknowledged] = []
        /// The change set that the zone refused last.
        var refused: ChangeSet?
        /// The number of refusals for missing parts without any progress, and the farthest part and
        /// byte that the zone has named.
        var partRefusals = 0
        var partPlace = (number: -1, held: 0)
        /// Indicates whether a complete part was damaged.
        var hasDamagedPart = false
        /// The number of times that dots or forms were taken from the zone's answers.
        var rewritings = 0
        /// The number of failures of the present request in a row.
        var failures = 0
        /// The reason why the last page could not be used, and the number of pages in a row that
        /// could not be used for this reason.
        var unusablePage = (reason: "", count: 0)
        /// The number of bytes to ask for, which shrinks after timeouts.
        var byteLimit: Int
        var sentAtMilliseconds: Int64 = 0
    }

    /// The phase of the exchange, which determines the expected event.
    enum Phase {
        case idle
        case greeting
        case renewing
        /// The store is recording the zone's epochs; then the answer to hello is used.
        case recordingEpochs(HelloResponse)
        /// The store computes its cursor at this position.
        case probing(UInt64)
        case rewinding
        case pulling
        /// The first page is being applied.
        case applying([RemotePage])
        /// A part of a save of the first page is requested.
        case fetchingPart([RemotePage], LackingPart)
        case keepingPart([RemotePage])
        case loading
        /// The store loads the next piece of a part that the zone lacks.
        case loadingPiece(ChangeSet)
        case sendingPiece(ChangeSet, PartPiece)
        case pushing([StoredLogEntry])
        case acknowledging(refusal: ProtocolError?)
        case restamping
        /// The store looks for change sets that the zone lacks. If it finds none, the push stops
        /// with this error.
        case supplying(SyncError)
        /// The store takes dots or forms from the zone's answer. If it can't, the push stops with
        /// this error.
        case rewriting(SyncError)
        case loadingRepairQueue
        case asking([RecordID])
        case repairing
        /// The store records that it needs a snapshot.
        case wantingSnapshot
        case askingChunk(UInt64)
        case staging
        case loadingSnapshot
        case askingChecksums([RecordRange])
        case comparing
        case queueingRepairs
        case waiting(Request)
    }

    /// The request to repeat after a delay.
    enum Request { case hello, pull, push, repair, snapshot, checksums }

    package init(
        limits: SessionLimits = SessionLimits(), zone: ZoneState? = nil,
        disabled: Set<Mechanism> = []
    ) {
        self.limits = limits
        self.zone = zone
        self.disabled = disabled
        let nobody = ReplicaID(high: 0, low: 0)
        exchange = Exchange(
            state: SyncState(
                replica: nobody, cursor: nil, last: nil, hasPending: false),
            byteLimit: limits.pageBytes)
    }

    /// Begins an exchange. An unfinished exchange is dropped.
    ///
    /// - Parameter verification: The mode of the comparison after the exchange, or `nil` for none.
    package mutating func begin(
        _ state: SyncState, verifying verification: VerificationMode? = nil, at input: StepInput
    ) -> Action {
        exchange = Exchange(state: state, byteLimit: max(limits.pageBytes, limits.batchBytes))
        exchange.verification = verification.map { VerificationProgress($0) }
        exchange.headPosition = state.cursor?.position ?? 0
        if let epoch = zone?.epoch, !state.wantsSnapshot,
            state.cursor.map({ $0.epoch == epoch }) ?? true
        {
            return pull(at: input)
        }
        return hello(at: input)
    }

    /// Handles the answer to the last action, and returns the next action.
    ///
    /// - Parameter event: The answer to the last action.
    package mutating func advance(_ event: Event, at input: StepInput) -> Action {
        switch (phase, event) {
        case (.greeting, .received(let body)): return greeted(body, at: input)
        case (.renewing, .renewed): return receive(at: input)
        case (.recordingEpochs(let response), .recorded(let state)):
            exchange.state = state
            return goOn(response, at: input)
        case (.probing(let position), .cursor(let cursor)):
            return probe(cursor, at: position, at: input)
        case (.rewinding, .rewound(let state, let copy)):
            exchange.outcome.keptCopy = copy ?? exchange.outcome.keptCopy
            return rewound(state, at: input)
        case (.pulling, .received(let body)): return pulled(body, at: input)
        case (.applying(let pages), .applied(let state)):
            return applied(pages, state, at: input)
        case (.applying, .cursorMoved(let state)):
            exchange.state = state
            return pull(at: input)
        case (.applying(let pages), .lacking(let part)):
            return fetch(part, of: pages, at: input)
        case (.fetchingPart(let pages, let part), .received(let body)):
            return fetched(part, of: pages, body, at: input)
        case (.keepingPart(let pages), .kept): return kept(pages, at: input)
        case (.loadingPiece(let set), .piece(let piece)):
            return loaded(piece, of: set, at: input)
        case (.sendingPiece(let set, let piece), .received(let body)):
            return staged(piece, of: set, body, at: input)
        case (.loading, .loaded(let sets, let state)): return loaded(sets, state, at: input)
        case (.pushing(let sets), .received(let body)): return pushed(sets, body, at: input)
        case (.acknowledging(let refusal), .acknowledged(let state)):
            exchange.state = state
            return acknowledged(refusal, at: input)
        case (.restamping, .restamped): return load()
        case (.supplying(let error), .supplied(let entries)):
            return supplied(entries, orElse: error, at: input)
        case (.rewriting(let error), .rewritten(let state)):
            return rewritten(state, orElse: error, at: input)
        case (.loadingRepairQueue, .recordsToRepair(let records)): return ask(records, at: input)
        case (.asking, .received(let body)): return answered(body, at: input)
        case (.repairing, .applied(let state)), (.repairing, .cursorMoved(let state)):
            return repaired(state, at: input)
        case (.wantingSnapshot, .recorded(let state)):
            exchange.state = state
            return hello(at: input)
        case (.askingChunk(let number), .received(let body)):
            return receivedChunk(number, body, at: input)
        case (.staging, .staged(let state)):
            exchange.state = state
            return takeSnapshot(at: input)
        case (.loadingSnapshot, .applied(let state)), (.loadingSnapshot, .cursorMoved(let state)):
            return loadedSnapshot(state, at: input)
        case (.askingChecksums(let ranges), .received(let body)):
            return receivedChecksums(of: ranges, body, at: input)
        case (.comparing, .compared(let comparison)): return compared(comparison, at: input)
        case (.comparing, .cursorMoved(let state)): return missed(state, at: input)
        case (.queueingRepairs, .queuedForRepair(let state)):
            return didQueueForRepair(state, at: input)
        case (.waiting(let request), .waited): return repeated(request, at: input)
        case (_, .refused(let refusal, let delay)):
            return failed(
                SyncError(refusal, retryAfter: delay), serverDelay: delay, at: input)
        case (_, .failed(let error)), (_, .storeFailed(let error)):
            return failed(error, serverDelay: nil, at: input)
        default:
            preconditionFailure("the engine answered an action with the event of another action")
        }
    }

    // MARK: - Hello

    /// Says hello to the zone.
    mutating func hello(at input: StepInput) -> Action {
        phase = .greeting
        let state = exchange.state
        let request = HelloRequest(
            replica: state.replica,
            last: state.last.map { HelloRequest.Head(sequence: $0.sequence, origin: $0.origin) },
            cursor: exchange.search?.probe ?? state.cursor,
            wallMilliseconds: input.wallMilliseconds)
        return send(.hello, request.encoded(), at: input)
    }

    /// Continues after the zone's answer to hello.
    mutating func greeted(_ body: [UInt8], at input: StepInput) -> Action {
        let response: HelloResponse
        do { response = try HelloResponse(decoding: body) } catch {
            return damaged(error, at: input)
        }
        exchange.failures = 0
        exchange.headPosition = response.headPosition
        // The log may be a restored one, which never reaches the position of an earlier answer.
        exchange.answer = nil
        exchange.verification?.answer = nil
        exchange.serverMilliseconds = response.wallMilliseconds
        zone = ZoneState(
            epoch: response.epoch,
            largestBody: Int(clamping: min(response.largestBody, UInt64(1) << 40)),
            clockOffsetMilliseconds: offset(
                ofServer: response.wallMilliseconds, at: input), quotas: response.quotas)
        if exchange.search != nil { return probed(response, at: input) }
        guard response.isCursorKnown else { return searchFork(response, at: input) }
        if let action = takeBack(in: response.epoch) { return action }
        let epochs = response.earlierEpochs + [response.epoch]
        if exchange.state.epochs.isSuperset(of: epochs) { return goOn(response, at: input) }
        phase = .recordingEpochs(response)
        return .store(.recordEpochs(epochs))
    }

    private mutating func goOn(_ response: HelloResponse, at input: StepInput) -> Action {
        exchange.startPosition = response.startPosition
        exchange.isSnapshotAdvised = response.isSnapshotAdvised
        let known = exchange.state.last?.sequence ?? 0
        if response.lastSequence > known {
            phase = .renewing
            return .store(.renewIdentity(ifLastBelow: response.lastSequence))
        }
        return receive(at: input)
    }

    // MARK: - Steps that all phases share

    /// Sends a request, and records its time for the clock offset.
    ///
    /// If the app is too old for the zone, ends the exchange instead.
    mutating func send(_ endpoint: SyncEndpoint, _ body: [UInt8], at input: StepInput) -> Action {
        if let error = updateRequired { return finish(error) }
        exchange.sentAtMilliseconds = input.wallMilliseconds
        return .send(endpoint, body: body)
    }

    /// The offset of the server's clock from the device's clock, as that is now.
    ///
    /// The server answers in the middle of the time between request and answer. When the device's
    /// clock was set in between, that time is no duration: it is negative, or longer than any
    /// request takes. Then only the time of the answer comes from the clock after the jump.
    func offset(ofServer wallMilliseconds: Int64, at input: StepInput) -> Int64 {
        let (elapsed, isBeyond) = input.wallMilliseconds.subtractingReportingOverflow(
            exchange.sentAtMilliseconds)
        let isDuration = !isBeyond && (0...Self.longestRequest).contains(elapsed)
        let middle = input.wallMilliseconds - (isDuration ? elapsed / 2 : 0)
        return wallMilliseconds.subtractingReportingOverflow(middle).partialValue
    }

    /// The longest time in milliseconds that counts as the duration of a request.
    private static let longestRequest: Int64 = 60_000

    /// Records the difference between the server's clock and the client's.
    mutating func learn(clockOf wallMilliseconds: Int64, at input: StepInput) {
        exchange.serverMilliseconds = wallMilliseconds
        let offset = offset(ofServer: wallMilliseconds, at: input)
        zone?.clockOffsetMilliseconds = offset
    }

    /// Ends the exchange with its outcome.
    mutating func conclude() -> Action {
        if let error = updateRequired { return finish(error) }
        phase = .idle
        let state = exchange.state
        exchange.outcome.position = state.cursor?.position ?? 0
        exchange.outcome.headPosition = max(exchange.headPosition, exchange.outcome.position)
        // The engine counts them.
        exchange.outcome.pendingCount = state.hasPending ? 1 : 0
        return .finish(.done(exchange.outcome))
    }

    /// Ends the exchange with an error.
    mutating func finish(_ error: SyncError) -> Action {
        phase = .idle
        return .finish(.failed(error))
    }
}
