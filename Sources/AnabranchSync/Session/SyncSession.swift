internal import AnabranchProtocol
package import AnabranchReplication
package import AnabranchStore

/// Decides what a store and its zone say to each other: hello, pull pages, push batches, pull
/// again where the log has moved, done.
///
/// A value without I/O, clock, randomness or task: an event goes in, an action comes out, one at
/// a time. What was applied or acknowledged is in the store; everything else may be lost at any
/// point, and the next exchange begins where the store stands (invariant 8).
///
/// The pull goes first and nothing that the zone refuses of a push stops it. Hello is said when
/// the zone is not known yet, or when it does not know the cursor.
package struct SyncSession: Sendable {
    package let limits: SessionLimits
    /// What a simulation has switched off.
    let disabled: Set<Mechanism>
    /// Kept from one exchange to the next.
    package internal(set) var zone: ZoneKnowledge?

    var phase = Phase.idle
    var exchange: Exchange

    /// What one exchange has come to.
    struct Exchange {
        var state: SyncState
        var outcome = SyncOutcome()
        /// Of the log's last entry, as far as it is known.
        var headPosition: UInt64 = 0
        /// How often the zone turned out to have another epoch than it said: it may begin a new
        /// one at any time.
        var epochChanges = 0
        /// Of the last entry that the zone's log keeps only the name of.
        var startPosition: UInt64 = 0
        /// Whether the zone has found a snapshot less work than its log, for who has nothing.
        var isSnapshotAdvised = false
        /// Whether the log still has what the store needs.
        var reachesLog: Bool {
            !state.wantsSnapshot && state.cursor?.position ?? 0 >= startPosition
        }
        /// Whether the log no longer has what the store needs, or is more work than a snapshot.
        var needsSnapshot: Bool {
            !reachesLog || state.cursor == nil && isSnapshotAdvised
        }
        /// How often a snapshot was begun.
        var snapshots = 0
        /// Whether nothing more is to be pushed.
        var isPushOver = false
        /// Where the store's log and the zone's part, while that is looked for.
        var search: ForkSearch?
        /// Whether the zone's log was this store's once, though nothing is left of it: it is empty,
        /// or holds the store's own last save.
        var isRelated = false
        /// What the zone has of records that are to be repaired, until the cursor is there.
        var answer: RepairResponse?
        /// Where the comparison of the two states stands; `nil` where none was asked for.
        var verification: VerificationProgress?
        /// How often the zone found the clock too far ahead.
        var restamps = 0
        /// How often the push went back to pulling.
        var rounds = 0
        /// What was supplied last, and how often something was.
        var supplied: MissingSets?
        var supplies = 0
        /// Sets that were pushed last and that the log has in another form.
        var otherForms: [Acknowledged] = []
        /// The set that the zone refused last.
        var refused: ChangeSet?
        /// How often the zone has said that it lacks parts and had no more of them than before,
        /// since it took a set in; and the farthest place that it has named.
        var partRefusals = 0
        var partPlace = (number: -1, held: 0)
        /// Whether a part came whole and was not what it should be.
        var hasDamagedPart = false
        /// How often names or forms were taken from the zone's answers.
        var rewritings = 0
        /// In a row, of the present request.
        var failures = 0
        /// Shrinks when the way is slow.
        var byteLimit: Int
        var sentAtMilliseconds: Int64 = 0
    }

    /// What the next event must answer.
    enum Phase {
        case idle
        case greeting
        case renewing
        /// The zone's epochs are being kept; then the greeting is gone on with.
        case noting(HelloResponse)
        /// The position whose cursor the store was asked for.
        case probing(UInt64)
        case rewinding
        case pulling
        /// The first page is being applied.
        case applying([RemotePage])
        /// A part of a save of the first page is asked for.
        case fetchingPart([RemotePage], LackingPart)
        case keepingPart([RemotePage])
        case loading
        /// The next piece of a part that the zone lacks.
        case loadingPiece(ChangeSet)
        case sendingPiece(ChangeSet, PartPiece)
        case pushing([LogEntry])
        case acknowledging(refusal: ProtocolError?)
        case restamping
        /// What the zone misses is looked for; else the push stops for this.
        case supplying(SyncError)
        /// Names or forms are taken from the zone's answer; else the push stops for this.
        case rewriting(SyncError)
        case loadingDebts
        case asking([RecordID])
        case repairing
        /// The store is told that it needs a snapshot.
        case wantingSnapshot
        case askingChunk(UInt64)
        case staging
        case loadingSnapshot
        case askingChecksums([RecordRange])
        case comparing
        case owing
        case waiting(Request)
    }

    /// What is asked anew after a delay.
    enum Request { case hello, pull, push, repair, snapshot, checksums }

    package init(
        limits: SessionLimits = SessionLimits(), zone: ZoneKnowledge? = nil,
        disabled: Set<Mechanism> = []
    ) {
        self.limits = limits
        self.zone = zone
        self.disabled = disabled
        let nobody = ReplicaID(high: 0, low: 0)
        exchange = Exchange(
            state: SyncState(
                replica: nobody, cursor: nil, last: nil, pendingCount: 0, pendingByteCount: 0),
            byteLimit: limits.pageBytes)
    }

    /// Begins an exchange; one that did not come to its end is forgotten.
    ///
    /// - Parameter verification: What is done behind the exchange; `nil` where nothing is.
    package mutating func begin(
        _ state: SyncState, verifying verification: VerificationMode? = nil, at moment: Moment
    ) -> Action {
        exchange = Exchange(state: state, byteLimit: max(limits.pageBytes, limits.batchBytes))
        exchange.verification = verification.map { VerificationProgress($0) }
        exchange.headPosition = state.cursor?.position ?? 0
        if let epoch = zone?.epoch, !state.wantsSnapshot,
            state.cursor.map({ $0.epoch == epoch }) ?? true
        {
            return pull(at: moment)
        }
        return hello(at: moment)
    }

    /// - Parameter event: The answer to the last action.
    package mutating func advance(_ event: Event, at moment: Moment) -> Action {
        switch (phase, event) {
        case (.greeting, .received(let body)): return greeted(body, at: moment)
        case (.renewing, .renewed): return receive(at: moment)
        case (.noting(let response), .noted(let state)):
            exchange.state = state
            return goOn(response, at: moment)
        case (.probing(let position), .cursor(let cursor)):
            return probe(cursor, at: position, at: moment)
        case (.rewinding, .rewound(let state)): return rewound(state, at: moment)
        case (.pulling, .received(let body)): return pulled(body, at: moment)
        case (.applying(let pages), .applied(let state)):
            return applied(pages, state, at: moment)
        case (.applying, .cursorMoved(let state)):
            exchange.state = state
            return pull(at: moment)
        case (.applying(let pages), .lacking(let part)):
            return fetch(part, of: pages, at: moment)
        case (.fetchingPart(let pages, let part), .received(let body)):
            return fetched(part, of: pages, body, at: moment)
        case (.keepingPart(let pages), .kept): return kept(pages, at: moment)
        case (.loadingPiece(let set), .piece(let piece)):
            return loaded(piece, of: set, at: moment)
        case (.sendingPiece(let set, let piece), .received(let body)):
            return staged(piece, of: set, body, at: moment)
        case (.loading, .loaded(let sets, let state)): return loaded(sets, state, at: moment)
        case (.pushing(let sets), .received(let body)): return pushed(sets, body, at: moment)
        case (.acknowledging(let refusal), .acknowledged(let state)):
            exchange.state = state
            return acknowledged(refusal, at: moment)
        case (.restamping, .restamped): return load()
        case (.supplying(let error), .supplied(let entries)):
            return supplied(entries, orElse: error, at: moment)
        case (.rewriting(let error), .rewritten(let state)):
            return rewritten(state, orElse: error, at: moment)
        case (.loadingDebts, .debts(let records)): return ask(records, at: moment)
        case (.asking, .received(let body)): return answered(body, at: moment)
        case (.repairing, .applied(let state)), (.repairing, .cursorMoved(let state)):
            return repaired(state, at: moment)
        case (.wantingSnapshot, .noted(let state)):
            exchange.state = state
            return hello(at: moment)
        case (.askingChunk(let number), .received(let body)):
            return receivedChunk(number, body, at: moment)
        case (.staging, .staged(let state)):
            exchange.state = state
            return takeSnapshot(at: moment)
        case (.loadingSnapshot, .applied(let state)), (.loadingSnapshot, .cursorMoved(let state)):
            return loadedSnapshot(state, at: moment)
        case (.askingChecksums(let ranges), .received(let body)):
            return receivedChecksums(of: ranges, body, at: moment)
        case (.comparing, .compared(let comparison)): return compared(comparison, at: moment)
        case (.comparing, .cursorMoved(let state)): return missed(state, at: moment)
        case (.owing, .owed(let state)): return owed(state, at: moment)
        case (.waiting(let request), .waited): return repeated(request, at: moment)
        case (_, .refused(let refusal, let delay)):
            return failed(SyncError(refusal), serverDelay: delay, at: moment)
        case (_, .failed(let error)), (_, .storeFailed(let error)):
            return failed(error, serverDelay: nil, at: moment)
        default:
            preconditionFailure("the shell answered an action with another one's event")
        }
    }

    // MARK: - Hello

    mutating func hello(at moment: Moment) -> Action {
        phase = .greeting
        let state = exchange.state
        let request = HelloRequest(
            replica: state.replica,
            last: state.last.map { HelloRequest.Head(sequence: $0.sequence, origin: $0.origin) },
            cursor: exchange.search?.probe ?? state.cursor,
            wallMilliseconds: moment.wallMilliseconds)
        return send(.hello, request.encoded(), at: moment)
    }

    mutating func greeted(_ body: [UInt8], at moment: Moment) -> Action {
        let response: HelloResponse
        do { response = try HelloResponse(decoding: body) } catch {
            return damaged(error, at: moment)
        }
        exchange.failures = 0
        exchange.headPosition = response.headPosition
        zone = ZoneKnowledge(
            epoch: response.epoch,
            largestBody: Int(clamping: min(response.largestBody, UInt64(1) << 40)),
            clockOffsetMilliseconds: offset(
                ofServer: response.wallMilliseconds, at: moment))
        if exchange.search != nil { return probed(response, at: moment) }
        guard response.isCursorKnown else { return searchFork(response, at: moment) }
        if let action = takeBack(in: response.epoch) { return action }
        let epochs = response.earlierEpochs + [response.epoch]
        if exchange.state.epochs.isSuperset(of: epochs) { return goOn(response, at: moment) }
        phase = .noting(response)
        return .store(.note(epochs))
    }

    private mutating func goOn(_ response: HelloResponse, at moment: Moment) -> Action {
        exchange.startPosition = response.startPosition
        exchange.isSnapshotAdvised = response.isSnapshotAdvised
        let known = exchange.state.last?.sequence ?? 0
        if response.lastSequence > known {
            phase = .renewing
            return .store(.renewIdentity(ifLastBelow: response.lastSequence))
        }
        return receive(at: moment)
    }

    // MARK: - Steps that all phases share

    mutating func send(_ endpoint: SyncEndpoint, _ body: [UInt8], at moment: Moment) -> Action {
        exchange.sentAtMilliseconds = moment.wallMilliseconds
        return .send(endpoint, body: body)
    }

    /// The server's clock against the middle of the time that the exchange took.
    func offset(ofServer wallMilliseconds: Int64, at moment: Moment) -> Int64 {
        let sent = exchange.sentAtMilliseconds
        let middle = sent + (max(moment.wallMilliseconds, sent) - sent) / 2
        return wallMilliseconds.subtractingReportingOverflow(middle).partialValue
    }

    mutating func learn(clockOf wallMilliseconds: Int64, at moment: Moment) {
        let offset = offset(ofServer: wallMilliseconds, at: moment)
        zone?.clockOffsetMilliseconds = offset
    }

    mutating func conclude() -> Action {
        phase = .idle
        let state = exchange.state
        exchange.outcome.position = state.cursor?.position ?? 0
        exchange.outcome.headPosition = max(exchange.headPosition, exchange.outcome.position)
        exchange.outcome.pendingCount = state.pendingCount
        return .finish(.done(exchange.outcome))
    }

    mutating func finish(_ error: SyncError) -> Action {
        phase = .idle
        return .finish(.failed(error))
    }
}
