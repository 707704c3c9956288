import AnabranchSync
import Foundation

/// The part of `everyday` that needs a server: saves that are observed, changes that come from
/// another store, and many small saves that wait.
struct EverydaySync {
    private let workbench: Workbench
    private let daemon: BenchDaemon
    private let raw: RawEveryday
    /// The objects of the raw database that are changed, which it still has.
    private let rawTurns: Range<Int>

    private static let saves = 2000
    private static let remoteChanges = 200
    private static let smallSaves = 10_000

    init(
        _ workbench: Workbench, _ raw: RawEveryday, turns rawTurns: Range<Int>,
        _ daemon: BenchDaemon
    ) {
        self.workbench = workbench
        self.raw = raw
        self.rawTurns = rawTurns
        self.daemon = daemon
    }

    func figures() async throws -> [Figure] {
        try await observedSaves() + remoteChanges() + smallSaves()
    }

    private func store(_ name: String, _ zone: String) throws -> ObservedStore {
        try ObservedStore(
            workbench.path(name),
            at: .init(daemon: daemon, zone: zone, token: daemon.token(forZone: zone)))
    }

    private func observedSaves() async throws -> [Figure] {
        let store = try store("observed", "observed")
        try store.fill()
        _ = try await store.sync()
        try store.observe()
        let times = Percentiles(try await store.live { try store.change(0..<Self.saves) })
        let half = times.half
        let rawHalf = Percentiles(try raw.times(of: .change, rawTurns)).half
        return [
            Figure(
                "change and save, observed and synced",
                .share(raw: 1 / rawHalf.seconds, ours: 1 / half.seconds)),
            Figure(
                "change and save, observed and synced: half take at most",
                .amount(half.microseconds, unit: "µs")),
            Figure(
                "change and save, observed and synced: 99 of 100 take at most",
                .amount(times.almostAll.microseconds, unit: "µs")),
        ]
    }

    private func remoteChanges() async throws -> [Figure] {
        let (sender, receiver) = (try store("sender", "remote"), try store("receiver", "remote"))
        try sender.fill()
        _ = try await sender.sync()
        _ = try await receiver.sync()
        try receiver.observe()
        var (rawTimes, applied, merged): ([Duration], [Duration], [Duration]) = ([], [], [])
        for turn in 0..<Self.remoteChanges {
            _ = try sender.change(turn..<turn + 1)
            _ = try await sender.sync()
            let outcome = try await receiver.sync()
            guard outcome.pulledChangeSets == 1 else {
                throw Unexpected("\(outcome.pulledChangeSets) change sets came instead of one")
            }
            applied.append(outcome.applyDuration)
            merged.append(receiver.mergeDuration)
            // The processor has waited for the server and done other work here too.
            let rawTurn = rawTurns.lowerBound + turn % rawTurns.count
            rawTimes += try raw.times(of: .change, rawTurn..<rawTurn + 1)
            guard receiver.observedCount(ofTurn: turn) == 1 else {
                throw Unexpected("the observed object lacks the change \(turn)")
            }
        }
        let half = Percentiles(zip(applied, merged).map(+)).half
        return [
            Figure(
                "a remote change, applied and merged",
                .share(raw: 1 / Percentiles(rawTimes).half.seconds, ours: 1 / half.seconds),
                goal: 0.35, cause: "The change set, the log, the cursor and the contexts."),
            Figure(
                "a remote change, applied and merged: half take at most",
                .amount(half.microseconds, unit: "µs")),
            Figure(
                "a remote change, applied: half take at most",
                .amount(Percentiles(applied).half.microseconds, unit: "µs")),
            Figure(
                "a remote change, merged by the context: half take at most",
                .amount(Percentiles(merged).half.microseconds, unit: "µs")),
        ]
    }

    private func smallSaves() async throws -> [Figure] {
        let (sender, receiver) = (try store("waiting", "small"), try store("behind", "small"))
        try sender.fill()
        _ = try await sender.sync()
        // The receiver has the beginning of the log, so it gets the rest from there.
        _ = try await receiver.sync()
        try sender.insert(Self.smallSaves)
        let start = ContinuousClock.now
        _ = try await sender.sync()
        let pushed = ContinuousClock.now - start
        let outcome = try await receiver.sync()
        let pulled = ContinuousClock.now - start - pushed
        guard outcome.pulledChangeSets == Self.smallSaves else {
            throw Unexpected("\(outcome.pulledChangeSets) change sets came by the log")
        }
        guard try receiver.count() == Self.smallSaves + ObservedStore.people else {
            throw Unexpected("the receiver lacks objects")
        }
        func rate(_ time: Duration) -> Figure.Measure {
            .rate(Double(Self.smallSaves) / time.seconds)
        }
        return [
            Figure("small saves pushed", rate(pushed), goal: 60_000, cause: "See Scripts/load."),
            Figure(
                "small saves pulled and applied", rate(pulled), goal: 40_000,
                cause: "Each is an entry of the log with a merge of its own."),
            Figure("small saves applied", rate(outcome.applyDuration)),
        ]
    }
}
