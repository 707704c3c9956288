import Foundation

/// Measures Anabranch against the raw SQLite C API in one process and prints a table.
@main
enum AnabranchBench {
    static let benchmarks: [any Benchmark] = [
        SaveBenchmark(), FetchBenchmark(), FetchWideBenchmark(), FetchIDsBenchmark(),
        LookupBenchmark(), PrefetchBenchmark(), RowsBenchmark(), BatchesBenchmark(),
        LiveBenchmark(), EverydayBenchmark(),
        PredicateBenchmark(), SearchBenchmark(), UpdateBenchmark(), AccessorBenchmark(),
        TrackingBenchmark(),
        SyncBenchmark(),
        MergeBenchmark(), BootstrapBenchmark(), RegisteredBenchmark(), GrowthBenchmark(),
        PendingBenchmark(), YearBenchmark(), IdleBenchmark(), MigrateBenchmark(),
        ConvertBenchmark(), ScaleBenchmark(),
    ]

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        Task.detached { exit(await status(of: arguments)) }
        // `dispatchMain` ends the main thread, which valgrind 3.19 does not survive.
        while CountedRun.isMeant(by: arguments) { pause() }
        dispatchMain()
    }

    /// Runs the program.
    ///
    /// - Returns: Its exit status.
    private static func status(of arguments: [String]) async -> Int32 {
        do {
            if CountedRun.isMeant(by: arguments) {
                try await CountedRun(arguments).run()
            } else {
                try await run(try BenchOptions(arguments))
            }
            return 0
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
            return error is BadUsage ? 64 : 1
        }
    }

    private static func run(_ options: BenchOptions) async throws {
        if options.isListing {
            list()
        } else if let file = options.countFile {
            try await count(to: file)
        } else {
            try await measure(options)
        }
    }

    private static func list() {
        for benchmark in benchmarks { print("\(benchmark.name)\t\(benchmark.summary)") }
    }

    private static func measure(_ options: BenchOptions) async throws {
        for name in options.names where !benchmarks.contains(where: { $0.name == name }) {
            throw BadUsage("There is no benchmark \(name); --list shows those there are.")
        }
        let chosen = benchmarks.filter { benchmark in
            options.names.isEmpty
                ? !benchmark.isOnlyByName : options.names.contains(benchmark.name)
        }
        let data = PeopleData(count: options.rows)
        var figures: [Figure] = []
        for benchmark in chosen {
            try? FileHandle.standardError.write(
                contentsOf: Data("\(benchmark.name): \(benchmark.summary)\n".utf8))
            do {
                figures += try await withWorkbench(rounds: options.rounds, data: data) {
                    try await benchmark.figures($0)
                }
            } catch {
                figures.append(Figure(benchmark.name, .failure("\(error)")))
            }
        }
        print("\(options.rows) rows, medians of \(options.rounds) alternating rounds\n")
        print(FigureTable(figures: figures).text)
        let failures = figures.count { $0.failure != nil }
        if failures > 0 { throw FailedMeasurements(count: failures) }
    }

    private static func count(to file: String) async throws {
        try await withWorkbench(rounds: 1, data: PeopleData(count: 1000)) {
            try await CountCommand(file: file, workbench: $0).run()
        }
    }

    /// Runs a body with a folder, which is removed afterwards.
    private static func withWorkbench<Result>(
        rounds: Int, data: PeopleData, _ body: (Workbench) async throws -> Result
    ) async throws -> Result {
        let folder = NSTemporaryDirectory() + "anabranch-bench-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let workbench = Workbench(
            rounds: rounds, data: data, folder: folder,
            daemon: programs.appendingPathComponent("anabranchd").path,
            client: programs.appendingPathComponent("anabranch").path)
        return try await body(workbench)
    }
}
