import Anabranch
import AnabranchSync
import Foundation

/// Pushes all persons in a hundred change sets through the real server, over HTTP on this machine,
/// and brings them to two replicas.
///
/// The server advises a replica that has nothing of the log to take a snapshot if that is less
/// work. So one replica has synced with the empty zone and pulls the change sets. A new replica
/// syncs when the zone has compacted its log, and always gets a snapshot.
struct SyncBenchmark: Benchmark {
    static let name = "sync"
    static let summary =
        "a hundred change sets pushed, and brought to a replica by the log and by a snapshot"

    private static let changeSets = 100

    /// The result of one round.
    private struct Round {
        var push: Duration
        var pull: Duration
        var apply: Duration
        var idle: SyncOutcome
        var snapshot: Duration
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
                "remote inserts applied, by the log", rows: rows, times, goal: 0.45,
                cause: """
                    Seven eighths of the time are SQLite's, half of these for commits and
                    checkpoints: every page of change sets is a transaction of its own, which
                    writes the index's pages anew, where the raw side has one transaction.
                    """),
            Figure("push to the server", rate(rounds.map(\.push)), goal: 100_000),
            Figure("pull by the log", rate(rounds.map(\.pull)), goal: 100_000),
            Figure("first pull, by a snapshot", rate(rounds.map(\.snapshot)), goal: 100_000),
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
        func store(_ name: String) throws -> PersistentContainer {
            try PersonStore.open(workbench.path("\(name)\(round)"))
        }
        let follower = try store("follower")
        let pulling = try Self.engine(follower, daemon, zone, token)
        try await pulling.synchronize()
        let sender = try store("sender")
        try Self.fill(sender, with: workbench.data)
        let pushing = try Self.engine(sender, daemon, zone, token)
        let push = try await Self.timed { try await pushing.synchronize() }
        let pull = try await Self.timed { try await pulling.synchronize() }
        guard push.outcome.pushedChangeSets == Self.changeSets,
            pull.outcome.pulledChangeSets == Self.changeSets
        else {
            throw Unexpected("\(pull.outcome.pulledChangeSets) change sets came by the log")
        }
        let idle = try await pulling.synchronize()
        try daemon.compact(zone: zone)
        let newcomer = try store("newcomer")
        let first = try Self.engine(newcomer, daemon, zone, token)
        let snapshot = try await Self.timed { try await first.synchronize() }
        guard snapshot.outcome.pulledChangeSets == 0 else {
            throw Unexpected("the log came instead of a snapshot")
        }
        for replica in [follower, newcomer] { try check(replica, workbench) }
        return Round(
            push: push.duration, pull: pull.duration, apply: pull.outcome.applyDuration,
            idle: idle, snapshot: snapshot.duration)
    }

    private func check(_ replica: PersistentContainer, _ workbench: Workbench) throws {
        let count = try replica.newBackgroundContext().performAndWait {
            try $0.count(for: FetchRequest<Person>())
        }
        guard count == workbench.rows else { throw Unexpected("\(count) records came") }
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
