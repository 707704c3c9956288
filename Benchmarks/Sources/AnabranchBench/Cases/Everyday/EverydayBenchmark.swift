import Anabranch
import AnabranchSync
import Foundation

/// Saves and reads of one object or of a few, as an app does them all day, against prepared
/// statements of the same effect on the same tables.
struct EverydayBenchmark: Benchmark {
    static let name = "everyday"
    static let summary = "saves and reads of one object, half and 99 of 100 of them"

    /// The operations that one side does before the other has its turn.
    private static let turnsAtOnce = 100
    /// The first turn that is timed. The saves with counted pages have used some before it, and
    /// have deleted their objects.
    private static let firstTurn = 1000

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let paths = (raw: workbench.path("raw"), ours: workbench.path("store"))
        let raw = try RawEveryday(paths.raw)
        let ours = try EverydayStore(paths.ours)
        var figures = try EverydayOperation.allCases.filter { !$0.isSave }
            .flatMap { try compare($0, raw, ours, workbench) }
        figures += try EverydayOperation.allCases.filter(\.isSave)
            .flatMap {
                try pages($0, (raw, WrittenPages(paths.raw)), (ours, WrittenPages(paths.ours)))
            }
        let before = try (WrittenPages(paths.raw).usedBytes(), WrittenPages(paths.ours).usedBytes())
        figures += try compare(.insert, raw, ours, workbench)
        let after = try (WrittenPages(paths.raw).usedBytes(), WrittenPages(paths.ours).usedBytes())
        let extra = (after.1 - before.1) - (after.0 - before.0)
        figures.append(
            Figure(
                "insert and save: bytes beside the row and its index",
                .amount(Double(extra) / Double(count(.insert, workbench)), unit: "bytes"),
                goal: 130, cause: "The log keeps each save, and its indexes find it."))
        for operation in [EverydayOperation.change, .delete, .insertTen] {
            figures += try compare(operation, raw, ours, workbench)
        }
        let daemon = try workbench.startDaemon()
        defer { daemon.stop() }
        // No save has deleted the objects of these turns.
        let turns = Self.firstTurn - Self.turnsAtOnce..<Self.firstTurn
        figures += try await EverydaySync(workbench, raw, turns: turns, daemon).figures()
        return figures
    }

    /// The number of times that an operation is done.
    private func count(_ operation: EverydayOperation, _ workbench: Workbench) -> Int {
        switch operation {
        case .insert: workbench.rows
        case .delete: min(workbench.rows / 10, EverydaySize.people - 1000)
        default: workbench.rows / 10
        }
    }

    private func compare(
        _ operation: EverydayOperation, _ raw: RawEveryday, _ ours: EverydayStore,
        _ workbench: Workbench
    ) throws -> [Figure] {
        var (rawTimes, ourTimes): ([Duration], [Duration]) = ([], [])
        let first = Self.firstTurn
        for start in stride(
            from: first, to: first + count(operation, workbench), by: Self.turnsAtOnce)
        {
            let turns = start..<start + Self.turnsAtOnce
            rawTimes += try raw.times(of: operation, turns)
            ourTimes += try ours.times(of: operation, turns)
        }
        let (rawShares, ourShares) = (Percentiles(rawTimes), Percentiles(ourTimes))
        let half = ourShares.half.microseconds
        return [
            Figure(
                operation.rawValue,
                .share(raw: 1 / rawShares.half.seconds, ours: 1 / ourShares.half.seconds),
                goal: operation.goal),
            Figure(
                "\(operation.rawValue): half take at most", .amount(half, unit: "µs")),
            Figure(
                "\(operation.rawValue): 99 of 100 take at most",
                .amount(ourShares.almostAll.microseconds, unit: "µs"),
                goal: operation.isSave ? half * 3 : nil,
                cause: "Some saves wait for a checkpoint."),
        ]
    }

    private func pages(
        _ operation: EverydayOperation, _ raw: (RawEveryday, WrittenPages),
        _ ours: (EverydayStore, WrittenPages)
    ) throws -> [Figure] {
        let rawPages = try raw.1.pagesEach(raw.0, operation)
        let ourPages = try ours.1.pagesEach(ours.0, operation)
        return [
            Figure("\(operation.rawValue): pages, raw", .amount(rawPages, unit: "")),
            Figure(
                "\(operation.rawValue): pages", .amount(ourPages, unit: ""),
                goal: operation == .insert ? 5 : nil,
                cause: "The log, its indexes and the state are pages of their own."),
        ]
    }
}
