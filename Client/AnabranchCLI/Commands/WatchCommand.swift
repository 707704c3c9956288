import Anabranch
import AnabranchSync
import Foundation

/// Shows changes as they arrive.
struct WatchCommand: Command {
    static let specification = CommandSpecification(
        name: "watch", summary: "Shows changes as they arrive, of this store and of the zone.",
        discussion: [
            "While it runs, it keeps the store in sync, if the store has a zone: it shows changes "
                + "as they arrive, and sends local saves. Control-C ends it. If the zone no "
                + "longer accepts the token, it ends with status 77.",
            "If the zone's live events do not arrive, for example because a proxy buffers them, it "
                + "says so once and polls the zone, less often while nothing changes.",
            "With --entity it shows records instead of change sets: + appears, ~ changes, "
                + "- disappears.",
        ],
        options: ZoneConnection.options + [
            .flag("offline", "Shows only changes to this file, without a sync."),
            OptionSpecification(
                "entity", "ENTITY", "Shows what happens to the records of an entity."),
            OptionSpecification(
                "where", "PREDICATE", "Only records of the entity that match a predicate."),
            OptionSpecification(
                "columns", "NAMES", "The columns of a record to show, separated by commas."),
            OptionSpecification("count", "N", "Ends after N change sets that were shown."),
            OptionSpecification("for", "SECONDS", "Ends after this time."),
            OptionSpecification(
                "poll", "SECONDS",
                "The longest time between two polls while live events are missing; 30 by default."),
            .json,
        ],
        examples: [
            .init("watch geo.store", "Follows the store's zone."),
            .init(
                "watch geo.store --entity City --where \"population > 1000000\"",
                "Shows which large cities appear, change and disappear."),
        ])

    let path: String
    let connection: ZoneConnection
    let isOffline: Bool
    let entity: String?
    let query: RecordQuery
    let count: Int
    let seconds: Int?
    let pollSeconds: Int?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        connection = try ZoneConnection(arguments)
        isOffline = arguments.isSet("offline")
        entity = arguments.text("entity")
        query = try RecordQuery(arguments)
        if entity == nil, query.predicate != nil || !query.columns.isEmpty {
            throw UsageError(
                "--where and --columns need --entity, which names the records that they are about.",
                command: arguments.command)
        }
        count = try arguments.number("count", in: 1 ... .max) ?? .max
        seconds = try arguments.number("for", in: 1...86_400_000)
        pollSeconds = try arguments.number("poll", in: 1...86_400)
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: isOffline ? .reading : .writing)
        defer { container.coordinator.close() }
        let kept = try SyncStatus(of: container.coordinator).server
        let isConnected = !isOffline && (connection.server != nil || kept != nil)
        guard isConnected else {
            if !isOffline {
                console.writeNote("The store has no zone yet. Only local saves are shown.")
            }
            return try await follow(container, nil, console)
        }
        let engine = try connection.engine(for: container, console) { options in
            if let pollSeconds { options.pollInterval = .seconds(pollSeconds) }
        }
        engine.start()
        do {
            try await follow(container, engine, console)
        } catch {
            await engine.stop()
            throw error
        }
        await engine.stop()
    }

    /// Prints new change sets and reports of the connection until an end comes.
    ///
    /// It sleeps until the history grows or the engine's status changes. Saves of every process and
    /// change sets of the zone all arrive in the history.
    private func follow(
        _ container: PersistentContainer, _ engine: SyncEngine?, _ console: Console
    ) async throws {
        let coordinator = container.coordinator
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let interrupt = InterruptSignal { wake.finish() }
        defer { withExtendedLifetime(interrupt) {} }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { wake.finish() }
                for try await _ in coordinator.historyPositions() { wake.yield() }
            }
            if let engine {
                group.addTask { for await _ in engine.statusUpdates { wake.yield() } }
            }
            if let seconds {
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds))
                    wake.finish()
                }
            }
            try await print(container, engine, console, at: wakes, wake)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Prints what is new at each wake-up.
    ///
    /// - Returns: After the greatest number of change sets, or when the wake-ups have ended.
    /// - Throws: The error of the engine if the zone refuses its token.
    private func print(
        _ container: PersistentContainer, _ engine: SyncEngine?, _ console: Console,
        at wakes: AsyncStream<Void>, _ wake: AsyncStream<Void>.Continuation
    ) async throws {
        let coordinator = container.coordinator
        var watch = try entity.map { try RecordWatch(entity: $0, query, in: container) }
        var position = try watch?.start ?? coordinator.currentHistoryPosition()
        var rest = count
        var connection = ConnectionReports()
        for await _ in wakes {
            let (last, shown) = try write(
                after: position, limit: min(rest, 100), coordinator, &watch, console)
            // There may be more than the limit.
            if last != position { wake.yield() }
            position = last
            if shown > 0 { try console.output.flush() }
            rest -= shown
            if rest == 0 { return }
            if let status = engine?.status {
                for note in connection.reports(on: status) { console.writeNote(note) }
            }
            // An unreachable server may return, but a revoked token stays revoked.
            if let error = engine?.status.lastError, error.isRefusedToken { throw error }
        }
    }

    /// Prints the change sets after a position, or what they have done to the watched records.
    ///
    /// - Returns: The last position, and the number of change sets that were shown.
    private func write(
        after position: HistoryPosition, limit: Int, _ coordinator: PersistentStoreCoordinator,
        _ watch: inout RecordWatch?, _ console: Console
    ) throws -> (HistoryPosition, Int) {
        guard watch != nil else {
            let sets = try coordinator.changeSets(after: position, limit: limit)
            for set in sets { try write(set, console) }
            return (sets.last?.position ?? position, sets.count)
        }
        var (last, shown) = (position, 0)
        for transaction in try coordinator.history(after: position, limit: limit) {
            last = transaction.position
            let isShown = try watch?.write(transaction, isJSON: isJSON, to: console)
            if isShown == true { shown += 1 }
        }
        return (last, shown)
    }

    private func write(_ set: LoggedChangeSet, _ console: Console) throws {
        let text = ChangeSetText(set)
        guard !isJSON else { return try console.print(text.json(withBlocks: true)) }
        let author = TerminalText.printable(set.changeSet.author)
        try console.print(
            "\(console.dim(text.time))  \(console.bold(author.isEmpty ? "?" : author))  "
                + "\(RecordText.short(set.changeSet.dot))  \(TerminalText.printable(text.summary))")
    }
}

extension SyncError {
    /// Indicates whether the zone does not accept the token, which no repetition changes.
    fileprivate var isRefusedToken: Bool { code == .unauthorized || code == .forbidden }
}

/// Reports once that the connection to the server or its event stream is lost, and once that it is
/// restored.
private struct ConnectionReports {
    private var lastProblem: SyncError.Code?
    private var hasExchanged = false
    private var lastMissing: SyncError.Code?
    private var lastForeign: ForeignZone?

    mutating func reports(on status: SyncStatus) -> [String] {
        [reportOnExchange(status), reportOnEvents(status), reportOnEntities(status)]
            .compactMap(\.self)
    }

    private mutating func reportOnEntities(_ status: SyncStatus) -> String? {
        guard status.foreignZone != lastForeign else { return nil }
        lastForeign = status.foreignZone
        return lastForeign.map { "Warning: \(TerminalText.printable($0.message))" }
    }

    private mutating func reportOnEvents(_ status: SyncStatus) -> String? {
        guard status.missingEvents?.code != lastMissing, status.lastError == nil else { return nil }
        lastMissing = status.missingEvents?.code
        guard let missing = status.missingEvents else { return "Live events arrive again." }
        let seconds = status.pollInterval.map { Int($0.components.seconds) } ?? 0
        let pace = seconds > 0 ? "every \(Quantity.text(seconds, "second"))" : "again and again"
        return "Live events are missing, so the zone is polled \(pace), and less often while "
            + "nothing changes. \(FailureReport(missing).message)"
    }

    private mutating func reportOnExchange(_ status: SyncStatus) -> String? {
        // The command ends with this error, which is then printed.
        if status.lastError?.isRefusedToken == true { return nil }
        let problem = status.lastError ?? status.blockedBy
        guard problem?.code != lastProblem || (problem == nil && !hasExchanged) else { return nil }
        if let problem {
            lastProblem = problem.code
            return "anabranch: \(FailureReport(problem).message)"
        }
        guard status.lastExchange != nil, status.activity == .idle else { return nil }
        let isBack = lastProblem != nil
        lastProblem = nil
        defer { hasExchanged = true }
        let zone = "\(status.zone ?? "") at \(status.server ?? "")"
        return isBack
            ? "In sync again with \(zone)." : "In sync with \(zone), position \(status.position)."
    }
}
