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

/// Exchanges a store's change sets with a zone of a server.
///
/// `synchronize()` makes one exchange; `start()` keeps the store up to date until `stop()`. Remote
/// change sets are applied on a private queue, each page in one transaction. Then the contexts
/// refresh their registered objects by ID and keep unsaved changes. A save that waits or that the
/// zone refuses never delays the pull, and stays in the store.
public final class SyncEngine: Sendable {
    let side: StoreExecutor
    let transport: any Transport
    let address: ServerAddress
    let options: SyncOptions
    let environment: SyncEnvironment
    /// The queue for the store's work, which never runs on the caller's thread.
    private let queue = DispatchQueue(label: "anabranch.sync")
    private let gate = ExchangeQueue()
    let state: Mutex<State>
    let updates = StatusUpdates()

    /// The result of the last comparison of the zone's entities with the model.
    enum EntityCheck {
        case never
        /// The zone has no record of an entity of the model yet.
        case unknown
        case known
    }

    struct State {
        var status: SyncStatus
        var zone: ZoneState?
        /// The number of exchanges that were begun, and the last complete one.
        var begun: UInt64 = 0
        var last: (number: UInt64, outcome: SyncOutcome)?
        var keptAtMilliseconds: Int64?
        /// The offset of the server's clock that this engine has stored last.
        var keptClockOffset: Int64?
        /// Indicates whether this engine has stored the server and the zone in the store's file.
        var isAddressKept = false
        /// The problems that the engine last read from the store's file or wrote to it. Equal
        /// problems are not written again at once.
        var keptProblems: SyncFailures
        /// The reason for missing events that the engine last read from the store's file or wrote
        /// to it.
        var keptMissingEvents: SyncError?
        var entityCheck = EntityCheck.never
        var live: Task<Void, Never>?
    }

    /// Creates an engine.
    ///
    /// - Throws: `SyncError` with code `otherZone` if the store syncs with another zone and the
    ///   options do not allow a move.
    package init(
        side: StoreExecutor, address: ServerAddress, transport: any Transport,
        options: SyncOptions = SyncOptions(), environment: SyncEnvironment = .system
    ) throws {
        let kept = try SyncMetadata(of: side.store)
        if let zone = kept.zone, zone != address.zone.string, !options.movesZone {
            throw SyncError(
                .otherZone,
                "Can't sync \(side.store.path) with the zone \(address.zone) because the "
                    + "store syncs with the zone \(zone), and a store has only one zone. Create "
                    + "another store, or move this one.",
                details: ["zone": zone])
        }
        self.side = side
        self.address = address
        self.transport = transport
        self.options = options
        self.environment = environment
        var status = try SyncStatus(of: side.store)
        // The connection may work again.
        status.lastError = nil
        status.missingEvents = nil
        status.activity = options.activity(in: try side.store.syncState())
        state = Mutex(
            State(
                status: status, keptProblems: kept.problems,
                keptMissingEvents: kept.missingEvents))
    }

    /// The last known status. The live loop and each exchange notice the saves of other processes.
    public var status: SyncStatus { state.withLock { $0.status } }

    /// A stream of the present status and of every later one.
    public var statusUpdates: AsyncStream<SyncStatus> { updates.stream(beginningWith: status) }

    /// Pulls from the zone and pushes to it, and returns when both are complete and the contexts
    /// have merged the changes.
    ///
    /// Calls do not overlap. A call during an exchange waits, and shares the next exchange with all
    /// other waiting calls. So every save before the call is part of the exchange.
    ///
    /// Contexts merge remote changes on their own queues, the view context on the main queue. Code
    /// that blocks such a queue until this call returns deadlocks.
    ///
    /// - Returns: The result of the exchange. If ``SyncOutcome/blockedBy`` is not `nil`, the zone
    ///   refused a save, but the pull is complete.
    /// - Throws: ``SyncError`` if the exchange failed after the retries that the options allow.
    ///   Everything that was applied or acknowledged stays; call again. `CancellationError` if the
    ///   task was cancelled.
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

    /// Runs an exchange of its own, followed by a comparison of store and zone.
    func run(verifying mode: VerificationMode) async throws -> SyncOutcome {
        try await gate.enter()
        defer { gate.leave() }
        let damage = await onQueue { side in Result { try side.store.damage() } }
        let found: [String]
        do { found = try damage.get() } catch { throw SyncError(storeFailure: error) }
        if let first = found.first {
            throw SyncError(storeFailure: StoreError(damaged: side.store.path, found.count, first))
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
        _ work: @escaping @Sendable (StoreExecutor) -> Result
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
            try await checkEntities(after: outcome)
            await finish(outcome, number)
            return outcome
        } catch {
            let failure = error as? SyncError
            await refreshPending()
            if let failure { await keep(failure) }
            let activity = await idleActivity()
            change { state in
                state.status.activity = activity
                if let failure { state.status.lastError = failure }
            }
            throw error
        }
    }

    private func runSession(verifying mode: VerificationMode?) async throws -> SyncOutcome {
        var session = SyncSession(limits: options.sessionLimits, zone: state.withLock { $0.zone })
        defer {
            let zone = session.zone
            state.withLock { $0.zone = zone }
        }
        _ = (side.rejections.take(), side.snapshotRecords.take())
        let begun = await onQueue { side in Result { try side.store.syncState() } }
        let stored: SyncState
        do { stored = try begun.get() } catch { throw SyncError(storeFailure: error) }
        var action = session.begin(stored, verifying: mode, at: environment.input)
        var cost = ExchangeMetrics()
        while true {
            try Task.checkCancellation()
            let event: SyncSession.Event
            switch action {
            case .send(let step, let body):
                cost.add(request: body)
                if step is Pushing || step is SendingPiece { await keepFirstAddress() }
                event = try await answer(to: step, body, &cost)
            case .store(let step):
                let timed = await onQueue { ExchangeMetrics.timed(step, $0) }
                event = timed.event
                cost.add(step, took: timed.duration)
                if case .answered = event { await keepAddress(after: step) }
            case .wait(let delay): event = try await wait(delay, after: session.delayCause)
            case .finish(.done(let outcome)):
                var outcome = cost.added(to: outcome)
                outcome.rejectedSaves = side.rejections.take()
                outcome.snapshotRecords = side.snapshotRecords.take()
                if outcome.pendingCount > 0, let pending = await pendingSaves() {
                    outcome.pendingCount = pending.count
                }
                return outcome
            case .finish(.failed(let error)): throw error
            }
            action = session.advance(event, at: environment.input)
        }
    }

    private func answer(
        to step: some RequestStep, _ body: [UInt8], _ cost: inout ExchangeMetrics
    ) async throws -> SyncSession.Event {
        do {
            switch try await transport.send(type(of: step).endpoint, body: body) {
            case .message(let body):
                cost.add(answer: body)
                return step.received(body)
            case .refusal(let refusal, let delay): return .refused(refusal, retryAfter: delay)
            }
        } catch let error as SyncError {
            return .failed(error)
        }
    }

    private func wait(
        _ delay: Duration, after cause: SyncError?
    ) async throws -> SyncSession.Event {
        change { state in
            state.status.activity = .waiting(delay)
            state.status.delayedBy = cause
        }
        defer { change { $0.status.delayedBy = nil } }
        try await environment.sleep(delay)
        change { $0.status.activity = .exchanging }
        return .waited
    }

    /// Records a complete exchange in memory and in the store, and trims the store's log.
    ///
    /// Unless the outcome tells something new of the zone, that is done at most once a minute: the
    /// store's position shows what was exchanged.
    private func finish(_ outcome: SyncOutcome, _ number: UInt64) async {
        let now = environment.wallMilliseconds()
        let (isAddressKept, keptAt, zone, keptProblems, keptOffset) = state.withLock { state in
            (
                state.isAddressKept, state.keptAtMilliseconds, state.zone, state.keptProblems,
                state.keptClockOffset
            )
        }
        let offset = zone?.clockOffsetMilliseconds ?? 0
        let quotas = (zone?.quotas ?? []).map { ZoneQuota($0) }
        let problems = SyncFailures(blockedBy: outcome.blockedBy)
        let isOld = keptAt.map { (now &- $0).magnitude > 60_000 } ?? true
        let isNews =
            outcome.headPosition > outcome.position || !problems.isSame(as: keptProblems)
            || quotas != status.quotas || keptOffset.map { Self.differ($0, offset) } ?? true
        var isKept = false
        if isOld || isNews || !isAddressKept {
            let (address, files) = (address, options.keptFiles)
            // The exchange itself is complete: what can't be stored now is stored by the next one.
            isKept = await onQueue { side in
                do {
                    if !isAddressKept {
                        try SyncMetadata.keep(
                            server: address.base, zone: address.zone.string,
                            files: files, in: side.store)
                    }
                    try SyncMetadata.keep(
                        exchangeAt: now, clockOffsetMilliseconds: offset,
                        headPosition: outcome.headPosition, blockedBy: outcome.blockedBy,
                        quotas: quotas, in: side.store)
                    return true
                } catch {
                    return false
                }
            }
        }
        await refreshPending(asLeft: true)
        if isKept { await trimLog() }
        change { [isKept, files = options.keptFiles] state in
            state.last = (number, outcome)
            if isKept {
                state.isAddressKept = true
                state.keptAtMilliseconds = now
                state.keptClockOffset = offset
                state.keptProblems = problems
            }
            state.status.activity = .idle
            state.status.server = address.base
            state.status.zone = address.zone.string
            state.status.certificateAuthorities = files.authorities
            state.status.clientCertificate = files.client
            state.status.position = outcome.position
            state.status.headPosition = outcome.headPosition
            state.status.lastExchange = Date(timeIntervalSince1970: Double(now) / 1000)
            state.status.blockedBy = outcome.blockedBy
            state.status.quotas = quotas
            state.status.lastError = nil
        }
    }

    /// Removes old saves from the store's log, for a short time. What is left then, or can't be
    /// removed now, is removed after the next exchange.
    private func trimLog() async {
        await onQueue { side in
            let end = ContinuousClock.now + .milliseconds(250)
            _ = try? side.store.trimLog { ContinuousClock.now >= end }
        }
    }

    /// Stores the address as soon as the store has something of the zone, so that a process that is
    /// killed leaves a store that names its zone.
    ///
    /// A store that refuses a zone of another app is not bound to the zone before it sends
    /// something: the name of the zone may be wrong.
    private func keepAddress(after step: any StoreStep) async {
        switch step {
        case is Rewinding where options.movesZone: await keepAddress()
        case is ApplyingPage where !options.refusesForeignZone,
            is StagingChunk where !options.refusesForeignZone:
            await keepFirstAddress()
        default: break
        }
    }

    private func keepFirstAddress() async {
        guard !state.withLock({ $0.isAddressKept }) else { return }
        await keepAddress()
    }

    private func keepAddress() async {
        let (address, files) = (address, options.keptFiles)
        let isKept = await onQueue { side in
            do {
                try SyncMetadata.keep(
                    server: address.base, zone: address.zone.string,
                    files: files, in: side.store)
                return true
            } catch {
                // The exchange stores it once more when it is complete.
                return false
            }
        }
        guard isKept else { return }
        change { state in
            state.isAddressKept = true
            state.status.server = address.base
            state.status.zone = address.zone.string
        }
    }

    /// Stores the reason why an exchange failed, unless the store itself failed.
    private func keep(_ failure: SyncError) async {
        let kept = state.withLock { $0.keptProblems }
        let problems = SyncFailures(blockedBy: kept.blockedBy, lastError: failure)
        guard failure.code != .storeFailed, failure.code != .storeBusy,
            !problems.isSame(as: kept)
        else { return }
        let isKept = await onQueue { side in
            (try? SyncMetadata.keep(lastError: failure, in: side.store)) != nil
        }
        if isKept { change { $0.keptProblems = problems } }
    }

    /// True if two offsets of the server's clock differ by as much as saves follow.
    private static func differ(_ one: Int64, _ other: Int64) -> Bool {
        let (difference, isBeyond) = one.subtractingReportingOverflow(other)
        return isBeyond || difference.magnitude >= Store.leastClockOffset.magnitude
    }

    /// Updates the status from the store.
    ///
    /// - Parameter asLeft: True if the saves of other processes need not be noticed now.
    /// - Returns: The number of unpushed saves, or `nil` if the store can't be read.
    @discardableResult
    func refreshPending(asLeft: Bool = false) async -> Int? {
        let stored = await onQueue { side in
            asLeft ? try? side.store.syncStateAsLeft() : try? side.store.syncState()
        }
        guard let stored,
            let pending = stored.hasPending
                ? await pendingSaves() : PendingSaves.none
        else { return nil }
        let old = status
        let isSame =
            old.pendingCount == pending.count && old.position == stored.position
            && old.rejectedCount == stored.rejectedCount
            && old.minimumVersion == stored.minimumVersion.map(Int.init(clamping:))
        guard !isSame else {
            return pending.count
        }
        change { state in
            state.status.pendingCount = pending.count
            state.status.pendingByteCount = pending.byteCount
            state.status.position = stored.position
            state.status.rejectedCount = stored.rejectedCount
            state.status.minimumVersion = stored.minimumVersion.map(Int.init(clamping:))
        }
        return pending.count
    }

    private func pendingSaves() async -> PendingSaves? {
        await onQueue { side in try? side.store.pendingSaves() }
    }

    /// The activity of an engine without an exchange.
    private func idleActivity() async -> SyncStatus.Activity {
        let stored = await onQueue { side in try? side.store.syncState() }
        return stored.map(options.activity) ?? .idle
    }
}

extension SyncOptions {
    /// The activity of an engine without an exchange, if the store has this state.
    fileprivate func activity(in state: SyncState) -> SyncStatus.Activity {
        sessionLimits.requiredVersion(by: state).map { .updateRequired(minimum: $0) } ?? .idle
    }
}

extension SyncState {
    var position: UInt64 { cursor?.position ?? 0 }
}

extension SyncStatus {
    /// Creates a status from the store's file, without asking the server.
    package init(of store: Store) throws {
        self.init()
        let stored = try store.syncState()
        let kept = try SyncMetadata(of: store)
        server = kept.server
        zone = kept.zone
        certificateAuthorities = kept.files.authorities
        clientCertificate = kept.files.client
        let pending = try store.pendingSaves()
        pendingCount = pending.count
        pendingByteCount = pending.byteCount
        rejectedCount = stored.rejectedCount
        minimumVersion = stored.minimumVersion.map(Int.init(clamping:))
        position = stored.position
        headPosition = max(kept.headPosition ?? 0, stored.position)
        lastExchange = kept.lastExchange
        quotas = kept.quotas
        blockedBy = kept.problems.blockedBy
        lastError = kept.problems.lastError
        missingEvents = kept.missingEvents
        foreignZone = try store.zoneEntities().foreign.map { ForeignZone($0) }
    }
}
