import Anabranch
import AnabranchSync
import Foundation

/// Saves of one object each that wait, then are pushed, and brought to two stores, through the real
/// server: to one that has synced with the empty zone by the log, and to a new one by a snapshot.
///
/// The time of each should be the same with as many saves as there are rows as with a hundredth of
/// them: the whole work is then linear.
struct PendingBenchmark: Benchmark {
    static let name = "pending"
    static let summary = "waiting saves of one object each, through the real server"

    /// The factor that larger tables and indexes add.
    private static let tolerance = 2.0

    /// The time of one step for each save.
    private struct Times {
        var save: Duration
        var push: Duration
        var pull: Duration
        var snapshot: Duration
    }

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        let sizes = [max(workbench.rows / 100, 1000), workbench.rows]
        let few = try await run(sizes[0], workbench, daemon)
        let many = try await run(sizes[1], workbench, daemon)
        let steps: [(String, KeyPath<Times, Duration>)] = [
            ("saved", \.save), ("pushed", \.push), ("pulled by the log", \.pull),
            ("brought by a snapshot", \.snapshot),
        ]
        return steps.flatMap { step, time -> [Figure] in
            func amount(_ times: Times, _ size: Int) -> Double {
                times[keyPath: time].nanoseconds(each: size) / 1000
            }
            let least = amount(few, sizes[0])
            return [
                Figure("\(step), one of \(sizes[0])", .amount(least, unit: "µs")),
                Figure(
                    "\(step), one of \(sizes[1])",
                    .amount(amount(many, sizes[1]), unit: "µs"),
                    goal: least * Self.tolerance,
                    cause: "The time grows faster than the number of saves."),
            ]
        }
    }

    private func run(
        _ count: Int, _ workbench: Workbench, _ daemon: BenchDaemon
    ) async throws -> Times {
        let zone = "pending\(count)"
        let token = try daemon.token(forZone: zone)
        func engine(_ name: String) throws -> (PersistentContainer, SyncEngine) {
            let container = try PersonStore.open(workbench.path("\(name)\(count)"))
            return (container, try SyncBenchmark.engine(container, daemon, zone, token))
        }
        let (_, following) = try engine("follower")
        try await following.synchronize()
        let (sender, pushing) = try engine("sender")
        let save = try ContinuousClock().measure { try Self.save(count, in: sender) }
        let push = try await Self.time(pushing, pulled: 0)
        let pull = try await Self.time(following, pulled: count)
        try daemon.compact(zone: zone)
        let (_, starting) = try engine("newcomer")
        let snapshot = try await Self.time(starting, pulled: 0)
        return Times(save: save, push: push, pull: pull, snapshot: snapshot)
    }

    private static func save(_ count: Int, in container: PersistentContainer) throws {
        let data = PeopleData(count: 1000)
        try container.newBackgroundContext().performAndWait { context in
            for row in 0..<count {
                let row = row % data.count
                try PersonStore.insert(data, rows: row..<row + 1, into: context)
                context.reset()
            }
        }
    }

    /// Times an exchange.
    ///
    /// - Parameter count: The number of change sets that it has to pull.
    private static func time(_ engine: SyncEngine, pulled count: Int) async throws -> Duration {
        let start = ContinuousClock.now
        let outcome = try await engine.synchronize()
        let duration = ContinuousClock.now - start
        guard outcome.isCaughtUp else { throw Unexpected("not caught up: \(outcome)") }
        guard outcome.pulledChangeSets == count else {
            throw Unexpected("\(outcome.pulledChangeSets) change sets came instead of \(count)")
        }
        return duration
    }
}
