internal import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore
internal import Dispatch
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Exchanges a store's saves with a zone of a server.
///
/// `synchronize()` makes one exchange; `start()` keeps the store up to date until `stop()`.
/// Remote change sets are applied on a private queue, a page in one transaction; then the
/// contexts refresh the objects that they have registered, by ID, and keep unsaved edits. Waiting
/// saves never hold up what comes, and what the zone refuses stays in the store.
public final class SyncEngine: Sendable {
    let side: StoreSide
    let transport: any Transport
    let address: ServerAddress
    let options: SyncOptions
    let environment: SyncEnvironment
    /// The store's work; never the caller's thread.
    private let queue = DispatchQueue(label: "anabranch.sync")
    private let gate = ExchangeGate()
    private let state: Mutex<State>
    let updates = StatusUpdates()

    struct State {
        var status: SyncStatus
        var zone: ZoneKnowledge?
        /// Exchanges begun so far, and the last that came to its end.
        var begun: UInt64 = 0
        var last: (number: UInt64, outcome: SyncOutcome)?
        var keptAtMilliseconds: Int64?
        /// As the store has it, so that it is written when it changes.
        var keptProblems: SyncProblems
        var live: Task<Void, Never>?
    }

    /// - Throws: `SyncError` with code `otherZone` where the store syncs with another zone and is
    ///   not to move.
    package init(
        side: StoreSide, address: ServerAddress, transport: any Transport,
        options: SyncOptions = SyncOptions(), environment: SyncEnvironment = .system
    ) throws {
        let kept = try SyncMetadata(of: side.store)
        if let zone = kept.zone, zone != address.zone.string, !options.movesZone {
            throw SyncError(
                .otherZone,
                "Can't sync \(side.store.path) with the zone \(address.zone) because it syncs "
                    + "with the zone \(zone): a store has one zone. Make another store for it, or "
                    + "move this one.",
                details: ["zone": zone])
        }
        self.side = side
        self.address = address
        self.transport = transport
        self.options = options
        self.environment = environment
        var status = try SyncStatus(of: side.store)
        // The way to the server may be there again.
        status.lastError = nil
        state = Mutex(State(status: status, keptProblems: kept.problems))
    }

    /// What the engine knew last. Saves of other processes are noticed by the live loop and by
    /// each exchange.
    public var status: SyncStatus { state.withLock { $0.status } }

    /// The status at once, then whenever it changes.
    public var statusUpdates: AsyncStream<SyncStatus> { updates.stream(beginningWith: status) }

    /// Takes in what the zone has and sends what the store has, and returns when both is done
    /// and the contexts show it.
    ///
    /// Calls do not overlap: one that comes during an exchange waits, and shares the next one
    /// with all that wait, so what was saved before the call is part of it.
    ///
    /// Contexts take remote changes in on their own queues, the view context on the main one: who
    /// blocks that queue until this returns waits for itself.
    ///
    /// - Returns: What was exchanged. ``SyncOutcome/blockedBy`` tells where the zone refused a
    ///   save: the pull is complete all the same.
    /// - Throws: ``SyncError`` where the exchange broke off, after the retries that the options
    ///   allow. What was done before stays; call again. `CancellationError` where the task was
    ///   cancelled.
    @discardableResult
    public func synchronize() async throws -> SyncOutcome {
        let asked = state.withLock { $0.begun }
        try await gate.enter()
        defer { gate.leave() }
        let last = state.withLock { $0.last }
        if let last, last.number > asked { return last.outcome }
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        return try await exchange(number)
    }

    /// One exchange of its own, with what is asked for behind it.
    func run(verifying mode: VerificationMode) async throws -> SyncOutcome {
        try await gate.enter()
        defer { gate.leave() }
        let damage = await onQueue { side in Result { try side.store.damage() } }
        let found: [String]
        do { found = try damage.get() } catch { throw SyncError(storeFailure: error) }
        if let first = found.first {
            throw SyncError(
                storeFailure: StoreError(damaged: side.store.path, found.count, first))
        }
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        return try await exchange(number, verifying: mode)
    }

    func change(_ change: (inout State) -> Void) {
        let status = state.withLock { state in
            change(&state)
            return state.status
        }
        updates.yield(status)
    }

    /// Runs work on the engine's queue.
    func onQueue<Result: Sendable>(
        _ work: @escaping @Sendable (StoreSide) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { [side] in continuation.resume(returning: work(side)) }
        }
    }
}

// MARK: - One exchange

extension SyncEngine {
    private func exchange(
        _ number: UInt64, verifying mode: VerificationMode? = nil
    ) async throws -> SyncOutcome {
        change { $0.status.activity = .exchanging }
        do {
            let outcome = try await runSession(verifying: mode)
            await side.merges.wait()
            await finish(outcome, number)
            return outcome
        } catch {
            let failure = error as? SyncError
            await refreshPending()
            if let failure { await keep(failure) }
            change { state in
                state.status.activity = .idle
                if let failure { state.status.lastError = failure }
            }
            throw error
        }
    }

    private func runSession(verifying mode: VerificationMode?) async throws -> SyncOutcome {
        var session = SyncSession(
            limits: options.sessionLimits, zone: state.withLock { $0.zone },
            disabled: environment.disabled)
        defer {
            let zone = session.zone
            state.withLock { $0.zone = zone }
        }
        _ = side.takeRejections()
        let begun = await onQueue { side in Result { try side.state() } }
        let stored: SyncState
        do { stored = try begun.get() } catch { throw SyncError(storeFailure: error) }
        var action = session.begin(stored, verifying: mode, at: environment.moment)
        var cost = ExchangeCost()
        while true {
            try Task.checkCancellation()
            let event: SyncSession.Event
            switch action {
            case .send(let endpoint, let body):
                event = try await answer(endpoint, body)
                cost.note(request: body, answer: event)
            case .store(let work):
                let timed = await onQueue { ExchangeCost.timed(work, $0) }
                event = timed.event
                cost.note(work, took: timed.duration)
                if case .rewound = event, options.movesZone { await keepAddress() }
            case .wait(let delay): event = try await wait(delay)
            case .finish(.done(let outcome)):
                var outcome = cost.added(to: outcome)
                outcome.rejectedSaves = side.takeRejections()
                return outcome
            case .finish(.failed(let error)): throw error
            }
            action = session.advance(event, at: environment.moment)
        }
    }

    private func answer(
        _ endpoint: SyncEndpoint, _ body: [UInt8]
    ) async throws -> SyncSession.Event {
        do {
            switch try await transport.send(endpoint, body: body) {
            case .message(let body): return .received(body)
            case .refusal(let refusal, let delay): return .refused(refusal, retryAfter: delay)
            }
        } catch let error as SyncError {
            return .failed(error)
        }
    }

    private func wait(_ delay: Duration) async throws -> SyncSession.Event {
        change { $0.status.activity = .waiting(delay) }
        try await environment.sleep(delay)
        change { $0.status.activity = .exchanging }
        return .waited
    }

    /// Notes a whole exchange, in memory and, not more often than once a minute where nothing was
    /// exchanged, in the store.
    private func finish(_ outcome: SyncOutcome, _ number: UInt64) async {
        let now = environment.wallMilliseconds()
        let (isFirst, keptAt, offset, keptProblems) = state.withLock { state in
            (
                state.last == nil, state.keptAtMilliseconds,
                state.zone?.clockOffsetMilliseconds ?? 0, state.keptProblems
            )
        }
        let problems = SyncProblems(blockedBy: outcome.blockedBy)
        let isOld = keptAt.map { abs(now - $0) > 60_000 } ?? true
        let isNews =
            outcome.pulledChangeSets + outcome.pushedChangeSets > 0
            || !problems.isSame(as: keptProblems)
        if isOld || isNews {
            let address = address
            // The exchange itself is whole: what can't be noted now is noted next time.
            _ = await onQueue { side in
                Result {
                    if isFirst {
                        try SyncMetadata.keep(
                            server: address.base, zone: address.zone.string, in: side.store)
                    }
                    try SyncMetadata.keep(
                        exchangeAt: now, clockOffsetMilliseconds: offset,
                        headPosition: outcome.headPosition, blockedBy: outcome.blockedBy,
                        in: side.store)
                }
            }
        }
        await refreshPending()
        change { state in
            state.last = (number, outcome)
            state.keptAtMilliseconds = isOld ? now : keptAt
            state.keptProblems = problems
            state.status.activity = .idle
            state.status.server = address.base
            state.status.zone = address.zone.string
            state.status.position = outcome.position
            state.status.headPosition = outcome.headPosition
            state.status.lastExchange = Date(timeIntervalSince1970: Double(now) / 1000)
            state.status.blockedBy = outcome.blockedBy
            state.status.lastError = nil
        }
    }

    /// From here on the store's log is in the words of the zone that it moves to.
    private func keepAddress() async {
        let address = address
        _ = await onQueue { side in
            Result {
                try SyncMetadata.keep(
                    server: address.base, zone: address.zone.string, in: side.store)
            }
        }
    }

    /// Notes in the store why an exchange broke off, unless it is the store that failed.
    private func keep(_ failure: SyncError) async {
        let kept = state.withLock { $0.keptProblems }
        let problems = SyncProblems(blockedBy: kept.blockedBy, lastError: failure)
        guard failure.code != .storeFailed, failure.code != .storeBusy,
            !problems.isSame(as: kept)
        else { return }
        let isKept = await onQueue { side in
            (try? SyncMetadata.keep(lastError: failure, in: side.store)) != nil
        }
        if isKept { change { $0.keptProblems = problems } }
    }

    /// - Returns: How many saves wait; `nil` where the store can't be read.
    @discardableResult
    func refreshPending() async -> Int? {
        guard let stored = await onQueue({ side in try? side.state() }) else { return nil }
        let old = status
        let isSame =
            old.pendingCount == stored.pendingCount && old.position == stored.position
            && old.rejectedCount == stored.rejectedCount
        guard !isSame else {
            return stored.pendingCount
        }
        change { state in
            state.status.pendingCount = stored.pendingCount
            state.status.pendingByteCount = stored.pendingByteCount
            state.status.position = stored.position
            state.status.rejectedCount = stored.rejectedCount
        }
        return stored.pendingCount
    }
}

extension SyncState {
    var position: UInt64 { cursor?.position ?? 0 }
}

extension SyncStatus {
    /// What a store's file says, without asking the server.
    package init(of store: Store) throws {
        self.init()
        let stored = try store.syncState()
        let kept = try SyncMetadata(of: store)
        server = kept.server
        zone = kept.zone
        pendingCount = stored.pendingCount
        pendingByteCount = stored.pendingByteCount
        rejectedCount = stored.rejectedCount
        position = stored.position
        headPosition = max(kept.headPosition ?? 0, stored.position)
        lastExchange = kept.lastExchange
        blockedBy = kept.problems.blockedBy
        lastError = kept.problems.lastError
    }
}
