import Anabranch
import AnabranchSync
import Foundation

/// A large store: its import, its size, and what saving, opening and syncing cost in it.
struct ScaleBenchmark: Benchmark {
    static let name = "scale"
    static let summary = "a large store: import, one save, opening, status, first sync (--rows)"
    static let isOnlyByName = true

    private static let megabyte = 1024.0 * 1024
    private static let smallRows = 10_000
    private static let saves = 200
    private static let zone = "scale"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let path = workbench.path("large")
        let imports = try importTable(workbench, path)
        let use = try use(workbench, path)
        return imports + use + (try await sync(workbench, path))
    }

    // MARK: - Import

    private func importTable(_ workbench: Workbench, _ path: String) throws -> [Figure] {
        let table = try ScaleTable(path: workbench.path("large.csv"), rows: workbench.rows)
        let raw = try ScaleStore.importRaw(table, to: workbench.path("raw.db"))
        let ours = try importTable(table, to: path, workbench)
        let bytes = try Self.byteCount(path) / Self.byteCount(workbench.path("raw.db"))
        return [
            .share(
                "import of a CSV file, against sqlite3 .import", rows: workbench.rows,
                (raw.duration, ours.duration), goal: 0.5,
                cause: "The file is read twice, and each save writes pages of all indexes."),
            Figure(
                "its memory", .amount(Double(ours.maximumBytes) / Self.megabyte, unit: "MiB"),
                goal: 150, cause: "Something in memory grows with the number of rows."),
            Figure(
                "the file, by the raw table with its indexes", .amount(bytes, unit: "×"),
                goal: 1.6, cause: "The log has every value, and each row its version."),
        ]
    }

    @discardableResult
    private func importTable(
        _ table: ScaleTable, to path: String, _ workbench: Workbench
    ) throws -> ProgramRun {
        try ScaleStore.create(path)
        return try ProgramRun(
            workbench.client, ["import", path, ScaleStore.entity, table.path, "--author", "bench"])
    }

    private static func byteCount(_ path: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? NSNumber)?.doubleValue ?? 0
    }

    // MARK: - Use

    private func use(_ workbench: Workbench, _ path: String) throws -> [Figure] {
        let smallPath = workbench.path("small")
        let table = try ScaleTable(path: workbench.path("small.csv"), rows: Self.smallRows)
        try importTable(table, to: smallPath, workbench)
        let saves = try compareSaves(smallPath, path)
        let openings = try (0..<workbench.rounds).map { _ in
            var container: PersistentContainer?
            let time = try ContinuousClock().measure { container = try ScaleStore.open(path) }
            container?.coordinator.close()
            return time
        }
        let status = try (0..<workbench.rounds).map { _ in
            try ProgramRun(workbench.client, ["status", path]).duration
        }
        let small = saves.small.microseconds
        return [
            Figure("one save of one object, among 10,000", .amount(small, unit: "µs")),
            Figure(
                "one save of one object, among \(workbench.rows)",
                .amount(saves.large.microseconds, unit: "µs"), goal: small * 1.3,
                cause: "Larger indexes have more levels, and their pages are not in memory."),
            Figure(
                "opening", .amount(openings.median.seconds * 1000, unit: "ms"), goal: 50,
                cause: "Opening reads something that grows."),
            Figure(
                "anabranch status", .amount(status.median.seconds * 1000, unit: "ms"), goal: 100,
                cause: "Status counts records by reading an index."),
        ]
    }

    /// The medians of saves in two stores, which take turns.
    private func compareSaves(
        _ small: String, _ large: String
    ) throws -> (small: Duration, large: Duration) {
        let stores = try [small, large].map { try ScaleStore.open($0) }
        defer { for store in stores { store.coordinator.close() } }
        let contexts = stores.map { $0.newBackgroundContext() }
        var times: [[Duration]] = [[], []]
        for number in 0..<Self.saves {
            for index in [number % 2, 1 - number % 2] {
                let time = try contexts[index].performAndWait { context in
                    let time = try ContinuousClock().measure {
                        try ScaleStore.insert(number, into: context)
                    }
                    context.reset()
                    return time
                }
                times[index].append(time)
            }
        }
        return (times[0].median, times[1].median)
    }

    // MARK: - Sync

    private func sync(_ workbench: Workbench, _ path: String) async throws -> [Figure] {
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        let token = try daemon.token(forZone: Self.zone)
        // A client with a cursor in the zone's empty log follows the log.
        let follower = try ScaleStore.open(workbench.path("follower"))
        try await SyncBenchmark.engine(follower, daemon, Self.zone, token).synchronize()
        let sender = try ScaleStore.open(path)
        let records = try ScaleStore.count(sender)
        let newcomer = try ScaleStore.open(workbench.path("newcomer"))
        let push = try await time(sender, daemon, token)
        let log = try await time(follower, daemon, token)
        let first = try await time(newcomer, daemon, token)
        for store in [follower, newcomer] where try ScaleStore.count(store) != records {
            throw Unexpected("\(try ScaleStore.count(store)) records came instead of \(records)")
        }
        guard log.outcome.pulledChangeSets > 0 else { throw Unexpected("the log did not come") }
        func rate(_ duration: Duration) -> Figure.Measure {
            .rate(Double(records) / duration.seconds)
        }
        let isSnapshot = first.outcome.pulledChangeSets == 0
        return [
            Figure("push to the server", rate(push.duration), goal: 140_000),
            Figure("sync by the log", rate(log.duration), goal: 120_000),
            Figure(
                "first sync, as the zone advises: by \(isSnapshot ? "a snapshot" : "the log")",
                rate(first.duration), goal: 120_000),
            Figure(
                "the server's memory",
                .amount(Double(daemon.maximumBytes) / Self.megabyte, unit: "MiB")),
        ]
    }

    private func time(
        _ container: PersistentContainer, _ daemon: BenchDaemon, _ token: String
    ) async throws -> (duration: Duration, outcome: SyncOutcome) {
        let engine = try SyncBenchmark.engine(container, daemon, Self.zone, token)
        let start = ContinuousClock.now
        let outcome = try await engine.synchronize()
        let duration = ContinuousClock.now - start
        guard outcome.isCaughtUp else { throw Unexpected("not caught up: \(outcome)") }
        return (duration, outcome)
    }
}
