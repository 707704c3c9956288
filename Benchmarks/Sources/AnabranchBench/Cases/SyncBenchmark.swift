import Anabranch
import AnabranchSync
import Foundation

/// Pushes all persons in a hundred change sets through the real server, and pulls them into an
/// empty store, over HTTP on this machine.
struct SyncBenchmark: Benchmark {
    static let name = "sync"
    static let summary = "a hundred change sets pushed and pulled through the real server"

    private static let changeSets = 100

    /// The result of one round.
    private struct Round {
        var push: Duration
        var pull: Duration
        var apply: Duration
        var idle: SyncOutcome
    }

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        var rounds: [Round] = []
        let times = try await Rounds(count: workbench.rounds).compare { round in
            let people = try RawPeople(path: workbench.path("raw\(round)"))
            return try ContinuousClock().measure { try people.insert(workbench.data) }
        } ours: { number in
            let round = try await run(number, workbench, daemon)
            rounds.append(round)
            return round.apply
        }
        return figures(rounds, times, rows: workbench.rows)
    }

    private func figures(
        _ rounds: [Round], _ times: (raw: Duration, ours: Duration), rows: Int
    ) -> [Figure] {
        func rate(_ durations: [Duration]) -> Figure.Measure {
            .rate(Double(rows) / durations.median.seconds)
        }
        let requests = rounds.map(\.idle.requestCount).max() ?? 0
        let sent = rounds.map(\.idle.sentByteCount).max() ?? 0
        let received = rounds.map(\.idle.receivedByteCount).max() ?? 0
        return [
            .share(
                "remote inserts applied", rows: rows, times, goal: 0.45,
                cause: """
                    Seven eighths of the time are SQLite's, half of these for commits and
                    checkpoints: every page of change sets is a transaction of its own, which
                    writes the index's pages anew, where the raw side has one transaction.
                    """),
            Figure("push to the server", rate(rounds.map(\.push)), goal: 100_000),
            Figure("pull from the server", rate(rounds.map(\.pull)), goal: 100_000),
            Figure(
                "pull with nothing new: requests", .amount(Double(requests), unit: ""), goal: 1),
            Figure(
                "pull with nothing new: request",
                .amount(Double(sent), unit: "bytes"), goal: 64),
            Figure(
                "pull with nothing new: response",
                .amount(Double(received), unit: "bytes"), goal: 64),
        ]
    }

    private func run(
        _ round: Int, _ workbench: Workbench, _ daemon: BenchDaemon
    ) async throws -> Round {
        let zone = "bench\(round)"
        let token = try daemon.token(forZone: zone)
        let sender = try PersonStore.open(workbench.path("sender\(round)"))
        try Self.fill(sender, with: workbench.data)
        let receiver = try PersonStore.open(workbench.path("receiver\(round)"))
        let pushing = try Self.engine(sender, daemon, zone, token)
        let push = try await Self.timed { try await pushing.synchronize() }
        let pulling = try Self.engine(receiver, daemon, zone, token)
        let pull = try await Self.timed { try await pulling.synchronize() }
        guard push.outcome.pushedChangeSets == Self.changeSets,
            pull.outcome.pulledChangeSets == Self.changeSets
        else {
            throw Unexpected("\(pull.outcome.pulledChangeSets) change sets came")
        }
        let idle = try await pulling.synchronize()
        return Round(
            push: push.duration, pull: pull.duration, apply: pull.outcome.applyDuration,
            idle: idle)
    }

    private static func timed(
        _ exchange: () async throws -> SyncOutcome
    ) async throws -> (outcome: SyncOutcome, duration: Duration) {
        let start = ContinuousClock.now
        let outcome = try await exchange()
        return (outcome, ContinuousClock.now - start)
    }

    static func engine(
        _ container: PersistentContainer, _ daemon: BenchDaemon, _ zone: String, _ token: String
    ) throws -> SyncEngine {
        try engine(container, daemon.address, zone, token)
    }

    static func engine(
        _ container: PersistentContainer, _ address: URL, _ zone: String, _ token: String
    ) throws -> SyncEngine {
        var options = SyncOptions()
        options.allowsPlainHTTP = true
        return try SyncEngine(
            container: container, server: address, zone: zone, token: token,
            options: options)
    }

    private static func fill(_ container: PersistentContainer, with data: PeopleData) throws {
        let size = (data.count + changeSets - 1) / changeSets
        try container.newBackgroundContext().performAndWait { context in
            for first in stride(from: 0, to: data.count, by: size) {
                try PersonStore.insert(
                    data, rows: first..<min(first + size, data.count), into: context)
            }
        }
    }
}
