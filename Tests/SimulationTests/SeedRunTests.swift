import AnabranchReplication
import Simulator
import Synchronization
import Testing

/// How runs of seeds are asked for, followed and stopped.
struct SeedRunTests {
    @Test func `a run is asked for by its first seed or draws that itself`() throws {
        let given = try #require(RunArguments(["7", "3"]) { 100 })
        #expect(given.seeds == 7..<10 && !given.isRandom && given.mechanism == nil)
        let random = try #require(RunArguments(["--random", "3"]) { 100 })
        #expect(random.seeds == 100..<103 && random.isRandom)
        let off = try #require(RunArguments(["7", "3", Mechanism.gapCheck.rawValue]) { 100 })
        #expect(off.mechanism == .gapCheck && off.storage == nil)
        let shared = try #require(RunArguments(["--storage", "postgres", "7", "300"]) { 100 })
        #expect(shared.seeds == 7..<307 && shared.storage == .postgres)
        #expect(!shared.requiresEveryEvent)
    }

    @Test(arguments: [
        [], ["7"], ["7", "0"], ["7", "-1"], ["x", "3"], ["7", "3", "nothing"], ["--random"],
        ["--random", "x"], ["--random", "3", "gapCheck"], ["7", "3", "gapCheck", "more"],
        ["18446744073709551615", "2"], ["--storage"], ["--storage", "paper", "7", "3"],
        ["--storage", "postgres"], ["7", "3", "--storage", "postgres"],
    ])
    func `arguments of any other form are refused`(_ arguments: [String]) {
        #expect(RunArguments(arguments) { 100 } == nil)
    }

    @Test func `only a long run of given seeds must meet every event`() throws {
        let drawn = try #require(RunArguments(["--random", "5000"]) { 100 })
        #expect(!drawn.requiresEveryEvent)
        #expect(try #require(RunArguments(["1", "700"]) { 100 }).requiresEveryEvent)
        #expect(!(try #require(RunArguments(["1", "199"]) { 100 }).requiresEveryEvent))
    }

    @Test func `progress is one line with the time`() {
        let progress = RunProgress(of: 5_000)
        #expect(
            progress.line(finished: 12, failed: 1, elapsed: .seconds(65))
                == "12 of 5000 seeds, 1 failed, 1:05")
    }

    @Test func `a run that is stopped sums up what it has done`() {
        let seen = Mutex(0)
        let result = SeedRun.waiting(
            for: 1..<1_000_000,
            observer: RunObserver(
                didFinish: { finished, _ in seen.withLock { $0 = max($0, finished) } },
                isStopped: { seen.withLock { $0 >= 2 } }))
        #expect(result.finishedCount >= 2 && result.finishedCount < 1_000)
        #expect(result.finishedCount == seen.withLock { $0 })
        #expect("\(result)".contains("simulation: \(result.finishedCount) of 999999 seeds from 1,"))
    }

    @Test func `a failing seed is reported when it is found, and one of them as the first`() {
        let reported = Mutex<[(seed: UInt64, isFirst: Bool)]>([])
        let result = SeedRun.waiting(
            for: 1..<200, disabled: [.gapCheck, .originEcho], stopsAtFailure: true,
            observer: RunObserver(didFail: { failure, isFirst in
                reported.withLock { $0.append((failure.seed, isFirst)) }
            }))
        let found = reported.withLock { $0 }
        #expect(!found.isEmpty)
        #expect(found.map(\.seed).sorted() == result.failures.map(\.seed))
        #expect(found.count { $0.isFirst } == 1)
    }
}
