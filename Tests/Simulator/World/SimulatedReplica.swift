import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import AnabranchSync
import Synchronization
import TestSupport

/// One app with its store. It saves, syncs step by step, dies and restarts.
final class SimulatedReplica {
    let world: SimulatedWorld
    /// The version of the model that the file has.
    private(set) var names: SimulationModel
    let path: String
    private(set) var store: Store
    private let clock: ReplicaClock
    let window: StoreWindow
    /// The window's change count at the last check of ``EqualKnowledge``.
    var checkedChangeCount: Int?
    let crash: CrashPlan
    private var session: SyncSession
    /// The action that the session wants next; `nil` between exchanges.
    private var action: SyncSession.Action?
    private var wakesAt: Int64?
    /// Origins of the saves that succeeded for the app and that are not known to be destroyed.
    private(set) var acknowledged: Set<Digest> = []
    /// Origins of all saves that ever succeeded for the app.
    private(set) var everAcknowledged: Set<Digest> = []
    /// Origins of the change sets of bundles that were reported as applied or as waiting.
    var takenFromBundles: Set<Digest> = []
    private var saveCount = 0
    /// The log's position and its saves after the last save of this process; `nil` if it has made
    /// none.
    private var saved: (position: Int64, seen: SaveNumbers)?
    /// What the author of the edits had seen that are being saved, if they are laid over what came
    /// later.
    private var seenByEdits: SaveNumbers?
    /// The saves that the log holds up to `position`, the last position that was read.
    private var held = (saves: HeldSaves(), position: Int64(0))
    /// Saves that the file lost in a power failure; `nil` without one.
    private var lostToPower: Set<Digest>?
    /// Origins of the change sets that the store has handed out for a push.
    var handedOut: Set<Digest> = []
    var lastOutcome: SyncOutcome?
    /// Whether the app has got another version.
    var isMigrated = false
    /// Whether the replica neither sends nor receives messages.
    var isCutOff = false
    var statistics: RunStatistics
    /// The events since the last call of `takeEvents()`, for the story of a run.
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
        let opening = try Self.open(path, world, names, clock, crash)
        store = opening.store
        statistics = opening.statistics
        self.names = try .shared(of: store.model)
        window.watch(store, self.names)
        try readLogAgain()
    }

    private static func newSession(_ world: SimulatedWorld) -> SyncSession {
        SyncSession(limits: world.traits.sessionLimits)
    }

    /// An opened file.
    struct Opening {
        let store: Store
        var statistics = RunStatistics()
        /// Whether the power has failed meanwhile.
        var hasLostPower = false
    }

    /// Opens the file. If the process dies meanwhile, opens it a second time. If it can't be
    /// migrated, because records share a key or the version has a narrower type, opens it with its
    /// own version.
    ///
    /// - Parameter names: The version of the app; `nil` for the version of the file.
    private static func open(
        _ path: String, _ world: SimulatedWorld, _ names: SimulationModel?, _ clock: ReplicaClock,
        _ crash: CrashPlan
    ) throws -> Opening {
        var statistics = RunStatistics()
        var names = names
        var hasLostPower = false
        do {
            return Opening(store: try openOnce(path, world, names, clock, crash))
        } catch {
            if let death = crash.death {
                statistics.count(.crashInOpening)
                hasLostPower = death.losesPower
                world.disk.restart(path, afterLossOfPower: death.losesPower)
                crash.begin(world.disk.process(of: path))
            } else {
                switch (error as? StoreError)?.code {
                case .noRandomness?: statistics.count(.randomnessFailed)
                case .constraintConflict? where names?.hasUniqueKeys == true,
                    .migrationNotInferred?:
                    statistics.count(.upgradeRefused)
                    names = nil
                default: throw error
                }
            }
            var opening = try open(path, world, names, clock, crash)
            opening.statistics.add(statistics)
            opening.hasLostPower = opening.hasLostPower || hasLostPower
            return opening
        }
    }

    private static func openOnce(
        _ path: String, _ world: SimulatedWorld, _ names: SimulationModel?, _ clock: ReplicaClock,
        _ crash: CrashPlan, _ given: StoreOptions.Durability? = nil
    ) throws -> Store {
        var options = StoreOptions()
        // This depends on the existing files, so that nothing has to be drawn: a new file has
        // normal durability.
        let isFull = world.traits.mixesDurability && world.disk.exists(path)
        options.durability = given ?? (isFull ? .full : .normal)
        let disk = world.disk
        var environment = StoreEnvironment(
            wallMilliseconds: { clock.milliseconds }, randomBytes: { world.identityBytes($0) },
            vfs: disk.name, faults: crash.faults)
        if world.traits.hasParts {
            environment.partLimits.byteCount = 40
            environment.leastLoadBytes = 0
        }
        let tellsFilesApart = world.traits.tellsFilesApart
        environment.fileIdentity = { path in
            tellsFilesApart ? (try? disk.identity(of: path))?.encoded ?? [] : []
        }
        func opened(as model: ManagedObjectModel?) throws -> Store {
            try Store.open(at: path, model: model, options: options, environment: environment)
        }
        if let names { return try opened(as: names.model) }
        // Entities of the file's own model are others than those of the shared one.
        let unknown = try opened(as: nil)
        defer { unknown.close() }
        return try opened(as: SimulationModel.shared(of: unknown.model).model)
    }

    /// Runs a save. In worlds with mixed durability, another process with normal durability runs
    /// every second save.
    private func withWriter<Result>(_ body: (Store) throws -> Result) throws -> Result {
        saveCount += 1
        guard world.traits.mixesDurability, saveCount.isMultiple(of: 2) else {
            return try body(store)
        }
        statistics.count(.saveByOtherProcess)
        let other = try Self.openOnce(path, world, names, clock, crash, .normal)
        defer { other.close() }
        return try body(other)
    }

    func check() throws { try window.check() }

    func jumpClock() { clock.jump() }

    /// - Returns: The events since the last call.
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
        defer { seenByEdits = nil }
        do {
            let (save, result) = try withWriter { store in
                var save = try RandomSave(on: store, content: content(), names, world)
                isPrepared = true
                return (save, try self.save(&save.request, to: store))
            }
            guard let dot = result.dot else { throw SimulationFailure("a save made no set") }
            if crash.death == nil {
                try recordSaved(from: before)
                guard try store.read({ try $0.changeSet(dot) }) != nil else {
                    throw SimulationFailure("save \(dot) is not in the log")
                }
                for list in save.lists { try list.check(in: self, renamed: result.renamed) }
            }
        } catch let error as StoreError where crash.death == nil && isRefusal(error) {
            statistics.count(error.code == .noRandomness ? .randomnessFailed : .saveRefused)
            guard try store.read({ try $0.logPosition() }) == before else {
                throw SimulationFailure("a save that was refused is in the log of \(path)")
            }
            tell("refused: \(error.code.rawValue)")
        } catch {
            guard crash.death != nil else { throw error }
        }
        guard let death = crash.death else { return }
        statistics.count(death.losesPower ? .powerLossInSave : .crashInSave)
        try reopen(behind: before)
        try checkAfterDeath(death, hadBegun: isPrepared, logBefore: before)
    }

    /// Saves a request. Every second one has edits that were made right after the save before it,
    /// and are laid over what came meanwhile.
    private func save(_ request: inout SaveRequest, to store: Store) throws -> SaveResult {
        guard saveCount.isMultiple(of: 2), let saved else { return try store.save(request) }
        seenByEdits = saved.seen
        let edits = try HeldEdits(&request, since: saved.position, on: store)
        try edits.checkRefusal(of: request, by: store, unless: isRefusal)
        let result = try store.save(request)
        if !edits.isEmpty { statistics.count(.heldEdit) }
        if Mechanism.journal.isOn { try edits.check(in: store, path) }
        return result
    }

    /// Returns whether the store refused the save for an expected reason.
    ///
    /// The reasons are a key that another visible record has, a reference that would close a cycle,
    /// and a copy that can get no identity of its own.
    private func isRefusal(_ error: StoreError) -> Bool {
        error.code == .noRandomness && world.traits.hasFailingRandomness
            || names.hasUniqueKeys
                && (error.code == .constraintConflict || error.code == .cyclicReference)
    }

    /// Checks that a crash before the commit leaves nothing of the save and a crash after the
    /// commit leaves all of it.
    private func checkAfterDeath(
        _ death: CrashPlan.Death, hadBegun: Bool, logBefore before: Int64
    ) throws {
        let after = try store.read { try $0.logPosition() }
        switch (death.point, death.losesPower) {
        case (.beforeCommit, _) where after > before:
            throw SimulationFailure("a save that never committed is in \(path)")
        case (.afterCommit, false) where hadBegun && after == before:
            throw SimulationFailure("a save that had committed is not in \(path)")
        default: try recordSaved(from: before)
        }
    }

    private func recordSaved(from position: Int64) throws {
        let entries = try store.read { try $0.changeSets(after: position, limit: 10) }
        for entry in entries {
            try tell(try entry.changeSet.summary())
            world.history.add(
                entry.changeSet.origin, seeing: held.saves.numbers, editing: seenByEdits)
            acknowledged.insert(entry.changeSet.origin)
            everAcknowledged.insert(entry.changeSet.origin)
        }
        try readLog()
        saved = (try store.read { try $0.logPosition() }, held.saves.numbers)
    }

    /// Reads the new entries of the log and checks their order (causal prefix). An entry behind its
    /// replica's head waits, and is logged again when it is applied.
    func readLog() throws {
        let rows = try store.read { reader in
            try reader.connection.rows(
                """
                SELECT c.position, c.origin,
                    (SELECT count(*) FROM ab_changeset o WHERE o.origin = c.origin)
                FROM ab_changeset c JOIN ab_head r ON r.ordinal = c.replica
                WHERE position > ? AND kind <> ? AND c.seq <= r.seen ORDER BY position
                """,
                .integer(held.position), .integer(Int64(LogEntryKind.lost.rawValue)))
        }
        for row in rows {
            guard case .integer(let position) = row[0], case .blob(let bytes) = row[1],
                let origin = Digest(bytes: bytes)
            else { throw SimulationFailure("the log of \(path) is damaged") }
            held.position = position
            // A change set that waited for its causes is logged again, once, after them.
            if row[2] == .integer(1), try held.saves.has(origin, world.history) { continue }
            try held.saves.append(origin, world.history, in: path)
        }
    }

    /// Reads the whole log again, because the file was replaced or has lost entries.
    func readLogAgain() throws {
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
    /// Takes one step of an exchange. If no exchange is under way, begins one.
    ///
    /// - Parameter send: Sends a request through the network.
    func advance(
        _ send: (SyncEndpoint, [UInt8]) -> Result<TransportReply, SyncError>
    ) throws {
        let event: SyncSession.Event
        switch action {
        case nil:
            try checkKnownState()
            action = session.begin(try store.syncState(), at: moment)
            return
        case .send(let step, let body):
            event = Self.event(step, send(type(of: step).endpoint, body))
            tell("\(step) answered by \(event.summary)")
        case .store(let step):
            event = step.performed(on: StoreExecutor(store))
            tell("\(step.summary) answered by \(event.summary)")
            try record(step, event)
            if let death = crash.death {
                statistics.count(death.losesPower ? .powerLossInSync : .crashInSync)
                try reopen()
                // The process may have died right after it loaded a snapshot.
                return try readLogAgain()
            }
            try checkKnownState()
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

    /// Counts what the store has done, and records what it has handed out.
    private func record(_ step: any StoreStep, _ event: SyncSession.Event) throws {
        guard case .answered(let answer) = event else { return }
        switch (step, answer.value) {
        case (_, let pending as PendingAnswer):
            handedOut.formUnion(pending.sets.map(\.changeSet.origin))
            statistics.count(
                .saveInParts, count: pending.sets.count { $0.changeSet.kind == .saveInParts })
        case (is KeepingPart, _): statistics.count(.pieceFetched)
        case (is LoadingPiece, is PartPiece): statistics.count(.pieceSent)
        case (is LoadingSnapshot, ContentAnswer.applied):
            statistics.count(.snapshotLoaded)
            try readLogAgain()
        default: break
        }
    }

    /// Makes one whole exchange, or the rest of the exchange that is under way.
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

    private var moment: StepInput {
        StepInput(wallMilliseconds: clock.milliseconds, draw: world.draw())
    }

    private static func event(
        _ step: some RequestStep, _ result: Result<TransportReply, SyncError>
    ) -> SyncSession.Event {
        switch result {
        case .success(.message(let body)): step.received(body)
        case .success(.refusal(let refusal, let delay)): .refused(refusal, retryAfter: delay)
        case .failure(let error): .failed(error)
        }
    }

    /// The errors that a bad network may cause. Every other error is a failure.
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

// MARK: - Trimming

extension SimulatedReplica {
    /// Removes from the log what the zone holds too: the saves of some time ago, or all but some
    /// bytes, whatever their times are by wrong clocks.
    func trim() throws {
        try readLog()
        let retention =
            world.oneIn(2)
            ? LogRetention(age: .milliseconds(world.number(0..<5_000)))
            : LogRetention(byteCount: world.number(0..<500), leastAge: .seconds(-30 * 86_400))
        do {
            let result = try store.trimLog(to: retention)
            let stamps = try store.removeUnusedStamps()
            tell("trimmed \(result.saveCount) saves and \(stamps) stamps")
            statistics.count(.entryTrimmed, count: result.saveCount)
        } catch {
            guard crash.death != nil else { throw error }
        }
        guard crash.death != nil else { return }
        try reopen()
        try readLogAgain()
    }
}

// MARK: - Dying, copies, backups

extension SimulatedReplica {
    func arm(_ death: CrashPlan.Death?) { crash.arm(death) }

    /// The process ends here and begins anew: what was in memory is gone.
    ///
    /// - Parameter position: The end of the log before a save that was under way. The save may
    ///   have been flushed before the process died, though its app was not told of it.
    func reopen(behind position: Int64? = nil) throws {
        let losesPower = close()
        try open()
        guard losesPower else { return }
        for entry in try store.read({ try $0.changeSets(after: position ?? .max, limit: 10) }) {
            world.history.add(
                entry.changeSet.origin, seeing: held.saves.numbers, editing: seenByEdits)
        }
        try readLogAgain()
        try recordLosses()
    }

    /// Ends the process.
    ///
    /// - Returns: Whether the power failed.
    @discardableResult
    func close() -> Bool {
        window.watch(nil, names)
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

    /// Begins a new process.
    ///
    /// - Parameters:
    ///   - version: The version of the app; `nil` for the one that the file had.
    ///   - death: The death of the process while it opens the file, after which another one begins.
    /// - Returns: Whether the power has failed.
    @discardableResult
    func open(as version: SimulationModel? = nil, dying death: CrashPlan.Death? = nil) throws
        -> Bool
    {
        crash.begin(world.disk.process(of: path))
        if let death { crash.arm(death) }
        let opening = try Self.open(path, world, version ?? names, clock, crash)
        if death != nil { crash.arm(nil) }
        store = opening.store
        saved = nil
        statistics.add(opening.statistics)
        names = try .shared(of: store.model)
        window.watch(store, names)
        return opening.hasLostPower
    }

    /// Records the saves that the power failure destroyed. No other replica has seen them: a change
    /// set leaves its file only after it has been flushed (invariant 11).
    func recordLosses() throws {
        let held = try heldOrigins()
        // What a zone lost after the file had removed it from its log, is gone.
        let missing = handedOut.subtracting(held).filter { !world.history.isGone($0) }
        guard missing.isEmpty else {
            throw SimulationFailure("\(path) has lost \(missing.count) sets that it has pushed")
        }
        let waiting = try waitingOrigins()
        let taken = takenFromBundles.subtracting(held).subtracting(waiting)
        guard taken.allSatisfy(world.history.isGone) else {
            throw SimulationFailure(
                "\(path) has lost sets of a bundle that it had reported as applied")
        }
        let lost = acknowledged.subtracting(held)
        lostToPower = (lostToPower ?? []).union(lost)
        acknowledged.subtract(lost)
    }

    /// - Returns: The app's saves that were lost since the last call; `nil` if the power has not
    ///   failed. A loss of power may have taken back what the replica had pulled, too.
    func takeLosses() -> Set<Digest>? {
        defer { lostToPower = nil }
        return lostToPower
    }

    private func heldOrigins() throws -> Set<Digest> {
        Set(
            try store.read { try $0.changeSets(after: 0, limit: .max) }.map(\.changeSet.origin)
        )
        .union(try snapshotEntries().map(\.origin))
    }

    private func waitingOrigins() throws -> Set<Digest> {
        let rows = try store.read { try $0.connection.rows("SELECT origin FROM ab_waiting") }
        return Set(
            rows.compactMap { row in
                if case .blob(let bytes) = row[0] { Digest(bytes: bytes) } else { nil }
            })
    }

    private func rowCount(_ table: String) -> Int {
        let count = try? store.read {
            try $0.connection.firstValue("SELECT count(*) FROM \(table)")
        }
        if case .integer(let number)? = count { return Int(number) }
        return 0
    }

    /// - Returns: The event counts of the replica.
    func closeForGood() -> RunStatistics {
        statistics.count(.conflict, count: (try? store.conflictCount()) ?? 0)
        statistics.count(.mergedDuplicate, count: rowCount("ab_shadow WHERE record <> visible"))
        statistics.count(.hiddenReference, count: rowCount("ab_hidden"))
        statistics.count(.deferredCell, count: rowCount("ab_deferred_cell"))
        statistics.count(.deferredRecord, count: rowCount("ab_deferred_record"))
        // The store retains the observer of its commits, which must not retain the store.
        window.watch(nil, names)
        store.close()
        return statistics
    }

    /// Copies the file: as `cp` does while no process has it open, or as a snapshot of the whole
    /// machine does at any moment.
    func copyFile(to copy: String) throws {
        guard world.oneIn(4) else { return world.disk.copy(path, to: copy) }
        close()
        world.disk.copy(path, to: copy)
        try open()
    }

    /// Replaces the file by an older copy.
    func restore(_ backup: String) throws {
        close()
        world.disk.copy(backup, to: path)
        try open()
        try readLogAgain()
        let held = try heldOrigins()
        handedOut.formIntersection(held)
        acknowledged.formIntersection(held)
        takenFromBundles.formIntersection(held.union(try waitingOrigins()))
    }
}
