import Anabranch
import AnabranchSync
import Foundation

/// Fills an empty store with a million persons from the real server, by the client's program.
///
/// The client is a process of its own, so that the memory of both sides can be measured.
struct BootstrapBenchmark: Benchmark {
    static let name = "bootstrap"
    static let summary = "a million records into an empty store, by a snapshot of the real server"

    private static let records = 1_000_000
    private static let zone = "bootstrap"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        let token = try daemon.token(forZone: Self.zone)
        let tokenFile = workbench.path("token")
        try Data(token.utf8).write(to: URL(fileURLWithPath: tokenFile))
        try await fill(workbench, daemon, token)
        // The server writes the snapshot for the first client.
        var runs: [ProgramRun] = []
        for round in 0...workbench.rounds {
            let store = workbench.path("client\(round)")
            _ = try PersonStore.open(store)
            runs.append(
                try ProgramRun(
                    workbench.client,
                    [
                        "sync", store, "--server", daemon.address.absoluteString, "--zone",
                        Self.zone, "--token-file", tokenFile,
                    ]))
            try check(store)
        }
        let later = runs.dropFirst()
        let megabyte = 1024.0 * 1024
        return [
            Figure(
                "bootstrap of 1,000,000 records",
                .amount(later.map(\.duration).median.seconds, unit: "s"), goal: 6,
                cause: """
                    Half of the client's time is the kernel's, which copies pages to and from the
                    write-ahead log and the file; a third is SQLite's.
                    """),
            Figure(
                "the first, which makes the snapshot",
                .amount(runs[0].duration.seconds, unit: "s")),
            Figure(
                "the client's memory",
                .amount(Double(runs.map(\.maximumBytes).max() ?? 0) / megabyte, unit: "MiB"),
                goal: 256),
            Figure(
                "the server's memory",
                .amount(Double(daemon.maximumBytes) / megabyte, unit: "MiB"), goal: 512),
        ]
    }

    private func fill(
        _ workbench: Workbench, _ daemon: BenchDaemon, _ token: String
    ) async throws {
        let container = try PersonStore.open(workbench.path("sender"))
        let size = workbench.rows
        var made = 0
        while made < Self.records {
            let count = min(size, Self.records - made)
            try container.newBackgroundContext().performAndWait { context in
                try PersonStore.insert(workbench.data, rows: 0..<count, into: context)
            }
            made += count
        }
        let engine = try SyncBenchmark.engine(container, daemon, Self.zone, token)
        let outcome = try await engine.synchronize()
        guard outcome.isCaughtUp else { throw Unexpected("the push did not end") }
    }

    private func check(_ store: String) throws {
        let count = try PersonStore.open(store).newBackgroundContext().performAndWait {
            try $0.count(for: FetchRequest<Person>())
        }
        guard count == Self.records else { throw Unexpected("\(count) records came") }
    }
}
