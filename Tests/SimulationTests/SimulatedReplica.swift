import AnabranchReplication
import AnabranchStore
import AnabranchSync
import Foundation
import Synchronization

/// One app with its store: saves, syncs step by step, dies and comes back.
final class SimulatedReplica {
    let world: SimulatedWorld
    let names: SimulationModel
    let path: String
    private(set) var store: Store
    private let clock: ReplicaClock
    private let window: StoreWindow
    private let crash: CrashPlan
    private var session: SyncSession
    /// What the session wants done next; `nil` between exchanges.
    private var action: SyncSession.Action?
    private var wakesAt: Int64?
    /// Origins of the saves that the app was told of.
    private(set) var acknowledged: Set<Digest> = []
    private(set) var lastOutcome: SyncOutcome?
    private(set) var statistics = RunStatistics()

    init(_ world: SimulatedWorld, _ names: SimulationModel, path: String) throws {
        self.world = world
        self.names = names
        self.path = path
        let clock = ReplicaClock(world)
        let window = StoreWindow(names)
        let crash = CrashPlan(looking: { window.look() })
        self.clock = clock
        self.window = window
        self.crash = crash
        session = Self.newSession(world)
        store = try Self.open(path, world, names, clock, crash)
        window.watch(store)
    }

    private static func newSession(_ world: SimulatedWorld) -> SyncSession {
        var limits = SessionLimits()
        limits.pageBytes = 2_000
        limits.batchBytes = 1_500
        limits.transactionBytes = 700
        limits.leastBytes = 500
        return SyncSession(limits: limits, disabled: world.disabled)
    }

    private static func open(
        _ path: String, _ world: SimulatedWorld, _ names: SimulationModel, _ clock: ReplicaClock,
        _ crash: CrashPlan
    ) throws -> Store {
        let environment = StoreEnvironment(
            wallMilliseconds: { clock.milliseconds }, randomBytes: { world.bytes($0) },
            faults: crash.faults, disabled: world.disabled)
        return try Store.open(at: path, model: names.model, environment: environment)
    }

    func check() throws { try window.check() }

    func jumpClock() { clock.jump() }

    func content() throws -> SimulatedContent { try SimulatedContent(of: store, names) }
}

// MARK: - Saving

extension SimulatedReplica {
    func save() throws {
        let before = try store.read { try $0.logPosition() }
        do {
            let save = try RandomSave(on: store, content: content(), names, world)
            let result = try store.save(save.request)
            guard let dot = result.dot else { throw SimulationFailure("a save made no set") }
            try noteSaved(from: before)
            guard try store.read({ try $0.changeSet(dot) }) != nil else {
                throw SimulationFailure("save \(dot) is not in the log")
            }
        } catch {
            guard let point = crash.takeCrash() else { throw error }
            statistics.note(point == .beforeCommit ? .crashBeforeSave : .crashAfterSave)
            try reopen()
            try checkAfterCrash(point, logBefore: before)
        }
    }

    /// What a crash before the commit must not leave, and one after it must.
    private func checkAfterCrash(_ point: CrashPlan.Point, logBefore before: Int64) throws {
        let after = try store.read { try $0.logPosition() }
        guard point == .afterCommit || after == before else {
            throw SimulationFailure("a save that never committed is in \(path)")
        }
        try noteSaved(from: before)
    }

    private func noteSaved(from position: Int64) throws {
        let entries = try store.read { try $0.changeSets(after: position, limit: 10) }
        acknowledged.formUnion(entries.map(\.changeSet.origin))
    }
}

// MARK: - Syncing

extension SimulatedReplica {
    /// Takes one step of an exchange, and begins one where none is under way.
    ///
    /// - Parameter send: The network.
    func advance(
        _ send: (SyncEndpoint, [UInt8]) -> Result<TransportReply, SyncError>
    ) throws {
        let event: SyncSession.Event
        switch action {
        case nil:
            action = session.begin(try store.syncState(), at: moment)
            return
        case .send(let endpoint, let body): event = Self.event(send(endpoint, body))
        case .store(let work):
            event = StoreSide(store).perform(work)
            if crash.takeCrash() != nil {
                statistics.note(.crashInSync)
                return try reopen()
            }
        case .wait(let delay):
            let end = wakesAt ?? world.milliseconds + Int64(delay / .milliseconds(1))
            wakesAt = end
            guard world.milliseconds >= end else { return }
            wakesAt = nil
            event = .waited
        case .finish(let ending): return try finish(ending)
        }
        action = session.advance(event, at: moment)
    }

    /// Makes one whole exchange.
    func exchange(
        _ send: (SyncEndpoint, [UInt8]) -> Result<TransportReply, SyncError>
    ) throws {
        crash.arm(nil)
        lastOutcome = nil
        var steps = 0
        repeat {
            if case .wait = action { world.pass(1_000) }
            try advance(send)
            steps += 1
            guard steps < 5_000 else { throw SimulationFailure("an exchange does not end") }
        } while action != nil
    }

    private var moment: SyncSession.Moment {
        SyncSession.Moment(wallMilliseconds: clock.milliseconds, draw: world.draw())
    }

    private static func event(
        _ result: Result<TransportReply, SyncError>
    ) -> SyncSession.Event {
        switch result {
        case .success(.message(let body)): .received(body)
        case .success(.refusal(let refusal, let delay)): .refused(refusal, retryAfter: delay)
        case .failure(let error): .failed(error)
        }
    }

    /// What an exchange over a bad network may come to; anything else is a mistake.
    private static let excusable: Set<SyncError.Code> = [
        .unreachable, .timedOut, .damagedResponse, .malformedRequest, .invalidChangeSet,
        .sequenceGap, .missingCauses, .overloaded, .unsupportedVersion,
        SyncError.Code(rawValue: "shutting-down"), SyncError.Code(rawValue: "internal-error"),
    ]

    private func finish(_ ending: SyncSession.Ending) throws {
        action = nil
        let error: SyncError?
        switch ending {
        case .done(let outcome):
            lastOutcome = outcome
            error = outcome.blockedBy
        case .failed(let failure): error = failure
        }
        guard let error, !Self.excusable.contains(error.code) else { return }
        throw SimulationFailure("\(path) can't sync: \(error)")
    }
}

// MARK: - Dying, copies, backups

extension SimulatedReplica {
    func arm(_ point: CrashPlan.Point) { crash.arm(point) }

    /// The process ends here and begins anew: what was in memory is gone.
    func reopen() throws {
        try close()
        try open()
    }

    private func close() throws {
        window.watch(nil)
        crash.arm(nil)
        _ = crash.takeCrash()
        store.close()
        session = Self.newSession(world)
        action = nil
        wakesAt = nil
    }

    private func open() throws {
        store = try Self.open(path, world, names, clock, crash)
        window.watch(store)
    }

    /// - Returns: What happened to the replica.
    func closeForGood() -> RunStatistics {
        statistics.note(.conflict, count: (try? store.conflictCount()) ?? 0)
        store.close()
        return statistics
    }

    /// Copies the file, as `cp` does while no process has it open.
    func copyFile(to copy: String) throws {
        try close()
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try open()
    }

    /// Puts an older copy in the file's place.
    ///
    /// - Returns: Saves that only the file had and that are gone with it.
    func restore(_ backup: String) throws -> Set<Digest> {
        try close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        try FileManager.default.copyItem(atPath: backup, toPath: path)
        try open()
        let held = try store.read { try $0.changeSets(after: 0, limit: .max) }
            .map(\.changeSet.origin)
        let lost = acknowledged.subtracting(held)
        acknowledged.subtract(lost)
        return lost
    }
}

/// A device's clock: wrong by up to two minutes, and now and then by another amount.
final class ReplicaClock: Sendable {
    private let world: SimulatedWorld
    private let offset: Mutex<Int64>

    init(_ world: SimulatedWorld) {
        self.world = world
        offset = Mutex(Self.offset(world))
    }

    private static func offset(_ world: SimulatedWorld) -> Int64 {
        // Slow by up to an hour, ahead by less than what the server refuses.
        Int64(world.number(-3_600_000..<120_000))
    }

    func jump() { offset.withLock { $0 = Self.offset(world) } }

    var milliseconds: Int64 { world.milliseconds + offset.withLock { $0 } }
}
