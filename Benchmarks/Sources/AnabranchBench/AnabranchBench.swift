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

    static func main() async {
        do {
            let options = try BenchOptions(CommandLine.arguments.dropFirst())
            if options.isListing { return list() }
            try await run(options)
        } catch let error as BadUsage {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func list() {
        for benchmark in benchmarks { print("\(benchmark.name)\t\(benchmark.summary)") }
    }

    private static func run(_ options: BenchOptions) async throws {
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
            FileHandle.standardError.write(Data("\(benchmark.name): \(benchmark.summary)\n".utf8))
            do {
                figures += try await measure(benchmark, data: data, rounds: options.rounds)
            } catch {
                figures.append(Figure(benchmark.name, .failure("\(error)")))
            }
        }
        print("\(options.rows) rows, medians of \(options.rounds) alternating rounds\n")
        print(FigureTable(figures: figures).text)
        let failures = figures.count { $0.failure != nil }
        if failures > 0 { throw FailedMeasurements(count: failures) }
    }

    private static func measure(
        _ benchmark: any Benchmark, data: PeopleData, rounds: Int
    ) async throws -> [Figure] {
        let folder = NSTemporaryDirectory() + "anabranch-bench-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let workbench = Workbench(
            rounds: rounds, data: data, folder: folder,
            daemon: programs.appendingPathComponent("anabranchd").path,
            client: programs.appendingPathComponent("anabranch").path)
        return try await benchmark.figures(workbench)
    }
}
