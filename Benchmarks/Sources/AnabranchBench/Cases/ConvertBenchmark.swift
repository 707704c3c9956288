import Anabranch
import AnabranchConversion
import Foundation

/// Converts a Core Data store of a million persons, compared with a copy of its rows by one
/// statement into the table that a store would have.
struct ConvertBenchmark: Benchmark {
    static let name = "convert"
    static let summary = "a million objects of a Core Data store, converted"

    private static let records = 1_000_000
    private static let recordsInTransaction = 100

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let source = workbench.path("plain.sqlite")
        try CoreDataPeople.create(at: source, count: Self.records)
        let times = try await Rounds(count: workbench.rounds).compare { round in
            let people = try RawPeople(path: workbench.path("raw\(round)"))
            return try ContinuousClock().measure {
                try CoreDataPeople.copy(from: source, to: people)
            }
        } ours: { round in
            try convert(source, to: workbench.path("store\(round)"))
        }
        let withHistory = workbench.path("history.sqlite")
        try CoreDataPeople.create(at: withHistory, count: Self.records)
        try CoreDataPeople.addHistory(
            to: withHistory, count: Self.records, inTransaction: Self.recordsInTransaction)
        let historyTimes = try (0..<workbench.rounds).map { round in
            try convert(withHistory, to: workbench.path("past\(round)"))
        }
        return [
            .share("objects converted, 1,000,000", rows: Self.records, times, goal: nil),
            Figure(
                "objects converted without a history",
                .rate(Double(Self.records) / times.ours.seconds), goal: 100_000),
            Figure(
                "objects with a history, 100 a transaction",
                .rate(Double(Self.records) / historyTimes.median.seconds), goal: 100_000),
        ]
    }

    private func convert(_ source: String, to store: String) throws -> Duration {
        let conversion = StoreConversion(
            source: URL(fileURLWithPath: source), model: try PersonStore.model())
        let time = try ContinuousClock().measure {
            _ = try conversion.run(to: URL(fileURLWithPath: store))
        }
        try FileManager.default.removeItem(atPath: store)
        return time
    }
}
