import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import AnabranchSync
import Synchronization
import TestSupport

/// One app with its store: saves, syncs step by step, dies and comes back.
final class SimulatedReplica {
    let world: SimulatedWorld
    let names: SimulationModel
    let path: String
    private(set) var store: Store
    private let clock: ReplicaClock
    let window: StoreWindow
    /// What the window said when it was last checked that whoever holds the same has the same.
    var checkedChangeCount: Int?
    let crash: CrashPlan
    private var session: SyncSession
    /// What the session wants done next; `nil` between exchanges.
    private var action: SyncSession.Action?
    private var wakesAt: Int64?
    /// Origins of the saves that the app was told of and that are not known to be destroyed.
    private(set) var acknowledged: Set<Digest> = []
    /// Origins of all saves that the app was told of, whatever has become of them.
    private(set) var everAcknowledged: Set<Digest> = []
    /// What the log holds as far as it was read, and how far that was.
    private var held = (saves: HeldSaves(), position: Int64(0))
    /// Saves that the file has forgotten because the power was lost.
    private var lostToPower: Set<Digest> = []
    /// Origins of the sets that were handed out to be pushed.
    var handedOut: Set<Digest> = []
    var lastOutcome: SyncOutcome?
    /// Whether no message goes in or out.
    var isCutOff = false
    var statistics: RunStatistics
    /// What has happened, for the story of a run.
    private var events: [String] = []

    init(_ world: SimulatedWorld, _ names: SimulationModel, path: String) throws {
        self.world = world
        self.names = names
        self.path = path
        let clock = ReplicaClock(world)
        let window = StoreWindow(names)
        let crash = CrashPlan(world.disk.process(of: path), looking: { window.lookDuringCommit() })
        self.clock = clock
        self.window = window
        self.crash = crash
        session = Self.newSession(world)
        if world.oneIn(4) { crash.arm(.random(world)) }
        (store, statistics) = try Self.open(path, world, names, clock, crash)
        window.watch(store)
        try readLogAgain()
    }

    private static func newSession(_ world: SimulatedWorld) -> SyncSession {
        SyncSession(limits: world.traits.sessionLimits, disabled: world.disabled)
    }

    /// Opens the file, again where the process dies meanwhile.
    private static func open(
        _ path: String, _ world: SimulatedWorld, _ names: SimulationModel, _ clock: ReplicaClock,
        _ crash: CrashPlan
    ) throws -> (Store, RunStatistics) {
        var statistics = RunStatistics()
        do {
            return (try openOnce(path, world, names, clock, crash), statistics)
        } catch {
            guard let death = crash.death else { throw error }
            statistics.note(.crashInOpening)
            world.disk.restart(path, afterLossOfPower: death.losesPower)
            crash.begin(world.disk.process(of: path))
            return (try openOnce(path, world, names, clock, crash), statistics)
        }
    }

    private static func openOnce(
        _ path: String, _ world: SimulatedWorld, _ names: SimulationModel, _ clock: ReplicaClock,
        _ crash: CrashPlan
    ) throws -> Store {
        let disk = world.disk
        var environment = StoreEnvironment(
            wallMilliseconds: { clock.milliseconds }, randomBytes: { world.bytes($0) },
            vfs: disk.name, faults: crash.faults, disabled: world.disabled)
        if world.traits.hasParts { environment.partLimits.byteCount = 40 }
        let tellsFilesApart = world.traits.tellsFilesApart
        environment.fileIdentity = { path in
            tellsFilesApart ? (try? disk.identity(of: path))?.encoded ?? [] : []
        }
        return try Store.open(at: path, model: names.model, environment: environment)
    }

    func check() throws { try window.check() }

    func jumpClock() { clock.jump() }

    /// - Returns: What has happened since this was last asked.
    func takeEvents() -> [String] {
        defer { events = [] }
        return events
    }

    func tell(_ event: @autoclosure () throws -> String) rethrows {
        if world.hasStory { events.append(try event()) }
    }

    func content() throws -> SimulatedContent { try SimulatedContent(of: store, names) }
}

// MARK: - Saving

extension SimulatedReplica {
    func save() throws {
        try readLog()
        let before = try store.read { try $0.logPosition() }
        var isPrepared = false
        do {
            let save = try RandomSave(on: store, content: content(), names, world)
            isPrepared = true
            let result = try store.save(save.request)
            guard let dot = result.dot else { throw SimulationFailure("a save made no set") }
            if crash.death == nil {
                try noteSaved(from: before)
                guard try store.read({ try $0.changeSet(dot) }) != nil else {
                    throw SimulationFailure("save \(dot) is not in the log")
                }
                for list in save.lists { try list.check(in: self, renamed: result.renamed) }
            }
        } catch let error as StoreError where crash.death == nil && isRefusal(error) {
            statistics.note(.saveRefused)
            guard try store.read({ try $0.logPosition() }) == before else {
                throw SimulationFailure("a save that was refused is in the log of \(path)")
            }
            tell("refused: \(error.code.rawValue)")
        } catch {
            guard crash.death != nil else { throw error }
        }
        guard let death = crash.death else { return }
        statistics.note(death.losesPower ? .powerLossInSave : .crashInSave)
        try reopen()
        try checkAfterDeath(death, hadBegun: isPrepared, logBefore: before)
    }

    /// A key that another record shows here, or a reference that would close a circle.
    private func isRefusal(_ error: StoreError) -> Bool {
        names.kind == .keys
            && (error.code == .constraintConflict || error.code == .cyclicReference)
    }

    /// What a crash before the commit must not leave, and one after it must.
    private func checkAfterDeath(
        _ death: CrashPlan.Death, hadBegun: Bool, logBefore before: Int64
    ) throws {
        let after = try store.read { try $0.logPosition() }
        switch (death.point, death.losesPower) {
        case (.beforeCommit, _) where after > before:
            throw SimulationFailure("a save that never committed is in \(path)")
        case (.afterCommit, false) where hadBegun && after == before:
            throw SimulationFailure("a save that had committed is not in \(path)")
        default: try noteSaved(from: before)
        }
    }

    private func noteSaved(from position: Int64) throws {
        let entries = try store.read { try $0.changeSets(after: position, limit: 10) }
        for entry in entries {
            try tell(try entry.changeSet.summary())
            world.history.note(entry.changeSet.origin, seeing: held.saves.numbers)
            acknowledged.insert(entry.changeSet.origin)
            everAcknowledged.insert(entry.changeSet.origin)
        }
        try readLog()
    }

    /// Looks at what the log has since it was looked at last (causal prefix).
    func readLog() throws {
        let rows = try store.read { reader in
            try reader.connection.rows(
                """
                SELECT position, origin,
                    (SELECT count(*) FROM ab_changeset o WHERE o.origin = c.origin)
                FROM ab_changeset c WHERE position > ? AND kind <> ? ORDER BY position
                """,
                .integer(held.position), .integer(Int64(LogEntryKind.lost.rawValue)))
        }
        for row in rows {
            guard case .integer(let position) = row[0], case .blob(let bytes) = row[1],
                let origin = Digest(bytes: bytes)
            else { throw SimulationFailure("the log of \(path) is damaged") }
            held.position = position
            // What waited for its causes comes anew behind them, and once.
            if row[2] == .integer(1), try held.saves.has(origin, world.history) { continue }
            try held.saves.append(origin, world.history, in: path)
        }
    }

    /// The file is another one than it was.
    private func readLogAgain() throws {
        held = (HeldSaves(), 0)
        try held.saves.load(
            try snapshotEntries().filter { $0.kind != .lost }.map(\.origin), world.history)
        try readLog()
    }
}

// MARK: - Syncing

extension WorldTraits {
    fileprivate var sessionLimits: SessionLimits {
        var limits = SessionLimits()
        let scale = hasSmallPages ? 1 : 6
        limits.pageBytes = 2_000 * scale
        limits.batchBytes = 1_500 * scale
        limits.transactionBytes = 700 * scale
        limits.leastBytes = 500
        limits.pieceBytes = 60 * scale
        return limits
    }
}

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
        case .send(let endpoint, let body):
            event = Self.event(send(endpoint, body))
            tell("\(endpoint.rawValue) answered by \(event.summary)")
        case .store(let work):
            event = StoreSide(store).perform(work)
            tell("\(work.summary) answered by \(event.summary)")
            if case .loaded(let sets, _) = event {
                handedOut.formUnion(sets.map(\.changeSet.origin))
            }
            noteParts(work, event)
            if case (.loadSnapshot, .applied) = (work, event) {
                statistics.note(.snapshotLoaded)
                try readLogAgain()
            }
            if let death = crash.death {
                statistics.note(death.losesPower ? .powerLossInSync : .crashInSync)
                try reopen()
                // It may have died right behind a snapshot.
                return try readLogAgain()
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

    private func noteParts(_ work: SyncSession.StoreWork, _ event: SyncSession.Event) {
        switch (work, event) {
        case (_, .loaded(let sets, _)):
            statistics.note(
                .saveInParts, count: sets.count { $0.changeSet.kind == .saveInParts })
        case (.keep, .kept): statistics.note(.pieceFetched)
        case (.loadPiece, .piece(.some)): statistics.note(.pieceSent)
        default: break
        }
    }

    /// Makes one whole exchange, or what is left of one.
    ///
    func exchange(
        _ send: (SyncEndpoint, [UInt8]) -> Result<TransportReply, SyncError>
    ) throws {
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
        .sequenceGap, .missingCauses, .missingParts, .overloaded, .unsupportedVersion,
        SyncError.Code(rawValue: "shutting-down"), SyncError.Code(rawValue: "internal-error"),
    ]

    private func finish(_ ending: SyncSession.Ending) throws {
        action = nil
        try readLog()
        try checkKnowledge()
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
    func arm(_ death: CrashPlan.Death?) { crash.arm(death) }

    /// The process ends here and begins anew: what was in memory is gone.
    func reopen() throws {
        let losesPower = close()
        try open()
        guard losesPower else { return }
        try readLogAgain()
        try noteLosses()
    }

    /// - Returns: Whether the power was lost.
    @discardableResult
    private func close() -> Bool {
        window.watch(nil)
        let death = crash.death
        tell(death.map { "dies: \($0)" } ?? "ends")
        crash.arm(nil)
        store.close()
        session = Self.newSession(world)
        action = nil
        wakesAt = nil
        guard let death else { return false }
        world.disk.restart(path, afterLossOfPower: death.losesPower)
        return death.losesPower
    }

    private func open() throws {
        crash.begin(world.disk.process(of: path))
        let opening: RunStatistics
        (store, opening) = try Self.open(path, world, names, clock, crash)
        statistics.add(opening)
        window.watch(store)
    }

    /// What the power took with it nobody else has seen: a set leaves its file only when it has
    /// been flushed (invariant 11).
    private func noteLosses() throws {
        let held = try heldOrigins()
        guard handedOut.isSubset(of: held) else {
            throw SimulationFailure(
                "\(path) has lost \(handedOut.subtracting(held).count) sets that it has pushed")
        }
        let lost = acknowledged.subtracting(held)
        lostToPower.formUnion(lost)
        acknowledged.subtract(lost)
    }

    /// - Returns: What was lost since this was last asked.
    func takeLosses() -> Set<Digest> {
        defer { lostToPower = [] }
        return lostToPower
    }

    private func heldOrigins() throws -> Set<Digest> {
        Set(
            try store.read { try $0.changeSets(after: 0, limit: .max) }.map(\.changeSet.origin)
        )
        .union(try snapshotEntries().map(\.origin))
    }

    private func rowCount(_ table: String) -> Int {
        let count = try? store.read {
            try $0.connection.firstValue("SELECT count(*) FROM \(table)")
        }
        if case .integer(let number)? = count { return Int(number) }
        return 0
    }

    /// - Returns: What happened to the replica.
    func closeForGood() -> RunStatistics {
        statistics.note(.conflict, count: (try? store.conflictCount()) ?? 0)
        statistics.note(.shownByAnother, count: rowCount("ab_shadow WHERE record <> visible"))
        statistics.note(.hiddenReference, count: rowCount("ab_hidden"))
        statistics.note(.deferredCell, count: rowCount("ab_deferred_cell"))
        // The store holds who looks at it while it commits, and must not be held by that.
        window.watch(nil)
        store.close()
        return statistics
    }

    /// Copies the file, as `cp` does while no process has it open, or as a snapshot of the whole
    /// machine does at any moment.
    func copyFile(to copy: String) throws {
        guard world.oneIn(4) else { return world.disk.copy(path, to: copy) }
        close()
        world.disk.copy(path, to: copy)
        try open()
    }

    /// Puts an older copy in the file's place.
    func restore(_ backup: String) throws {
        close()
        world.disk.copy(backup, to: path)
        try open()
        try readLogAgain()
        let held = try heldOrigins()
        handedOut.formIntersection(held)
        acknowledged.formIntersection(held)
    }
}
