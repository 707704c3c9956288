import Anabranch
import AnabranchSync
import Foundation

/// What a live engine costs that has nothing to do: its connection is open, and neither the store
/// nor the zone changes. Each round lasts twenty seconds, the time between two heartbeats.
struct IdleBenchmark: Benchmark {
    static let name = "idle"
    static let summary = "a live engine with nothing to do, for twenty seconds a round"

    private static let seconds = 20.0

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        let container = try PersonStore.open(
            workbench.path("store"), filledWith: PeopleData(count: 1000))
        let engine = try SyncBenchmark.engine(
            container, daemon, "idle", daemon.token(forZone: "idle"))
        try await engine.synchronize()
        engine.start()
        // The first looks and the connection are over by then.
        try await Task.sleep(for: .seconds(5))
        let start = ProcessTimes.current
        try await Task.sleep(for: .seconds(Self.seconds * Double(workbench.rounds)))
        let used = ProcessTimes.current - start
        await engine.stop()
        let all = Self.seconds * Double(workbench.rounds)
        return [
            Figure(
                "idle engine: share of a core", .amount(used.seconds / all * 100, unit: "%"),
                goal: 0.05, cause: "Something wakes up without a cause."),
            Figure(
                "idle engine: wake-ups a minute",
                .amount(Double(used.switches) / all * 60, unit: "")),
        ]
    }
}

/// What this process has used of the processors.
private struct ProcessTimes {
    var seconds: Double
    /// How often a thread has given up its processor to wait.
    var switches: Int

    /// `RUSAGE_SELF`, which Glibc declares with another type than the parameter's.
    private static let ownProcess: Int32 = 0

    static var current: ProcessTimes {
        var usage = rusage()
        getrusage(ownProcess, &usage)
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1e6
        }
        return ProcessTimes(
            seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), switches: usage.ru_nvcsw)
    }

    static func - (left: ProcessTimes, right: ProcessTimes) -> ProcessTimes {
        ProcessTimes(
            seconds: left.seconds - right.seconds, switches: left.switches - right.switches)
    }
}
