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
                + "longer accepts the token, it ends with status 77."
        ],
        options: ZoneConnection.options + [
            .flag("offline", "Shows only changes to this file, without a sync."),
            OptionSpecification("count", "N", "Ends after N change sets."),
            OptionSpecification("for", "SECONDS", "Ends after this time."), .json,
        ],
        examples: [.init("watch geo.store", "Follows the store's zone.")])

    let path: String
    let connection: ZoneConnection
    let isOffline: Bool
    let count: Int
    let seconds: Int?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        connection = try ZoneConnection(arguments)
        isOffline = arguments.isSet("offline")
        count = try arguments.number("count", in: 1 ... .max) ?? .max
        seconds = try arguments.number("for", in: 1...86_400_000)
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
            return try await follow(container.coordinator, nil, console)
        }
        let engine = try connection.engine(for: container, console)
        engine.start()
        do {
            try await follow(container.coordinator, engine, console)
        } catch {
            await engine.stop()
            throw error
        }
        await engine.stop()
    }

    /// Polls the log and prints new change sets.
    ///
    /// Saves of every process and change sets of the zone all arrive in the log, and a query takes
    /// less than a millisecond.
    private func follow(
        _ coordinator: PersistentStoreCoordinator, _ engine: SyncEngine?, _ console: Console
    ) async throws {
        let interrupt = InterruptSignal()
        var position = try coordinator.currentHistoryPosition()
        var rest = count
        var connection = ConnectionReports()
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        while !interrupt.hasCome, rest > 0, end.map({ ContinuousClock.now < $0 }) ?? true {
            let sets = try coordinator.changeSets(after: position, limit: min(rest, 100))
            for set in sets {
                try write(set, console)
                position = set.position
            }
            if !sets.isEmpty { try console.output.flush() }
            rest -= sets.count
            if let status = engine?.status, let note = connection.report(on: status) {
                console.writeNote(note)
            }
            // An unreachable server may return, but a revoked token stays revoked.
            if let error = engine?.status.lastError, error.isRefusedToken { throw error }
            if sets.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        }
    }

    private func write(_ set: LoggedChangeSet, _ console: Console) throws {
        let text = ChangeSetText(set)
        guard !isJSON else { return try console.print(text.json(withBlocks: true)) }
        let author = TextTable.printable(set.changeSet.author)
        try console.print(
            "\(console.dim(text.time))  \(console.bold(author.isEmpty ? "?" : author))  "
                + "\(RecordText.short(set.changeSet.dot))  \(TextTable.printable(text.summary))")
    }
}

extension SyncError {
    /// Indicates whether the zone does not accept the token, which no repetition changes.
    fileprivate var isRefusedToken: Bool { code == .unauthorized || code == .forbidden }
}

/// Reports once that the connection to the server is lost, and once that it is restored.
private struct ConnectionReports {
    private var lastProblem: SyncError.Code?
    private var hasExchanged = false

    mutating func report(on status: SyncStatus) -> String? {
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
