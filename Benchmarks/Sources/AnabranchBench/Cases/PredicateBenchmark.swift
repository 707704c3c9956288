import Anabranch

/// Reads a format and checks it against an entity.
struct PredicateBenchmark: Benchmark {
    static let name = "predicate"
    static let summary = "a usual format read, and checked against an entity"

    private static let repetitions = 20_000

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        guard let entity = try PersonStore.model().entity(named: "Person") else {
            throw Unexpected("there is no entity")
        }
        let time = try ContinuousClock().measure {
            for number in 0..<Self.repetitions {
                _ = try FetchPredicate(
                    "age >= %d AND lastName BEGINSWITH[c] %@", number, "An"
                ).resolved(for: entity)
            }
        }
        let microseconds = time / .microseconds(1) / Double(Self.repetitions)
        return [
            Figure(
                "a format read and checked", .amount(microseconds, unit: "µs"), goal: 20,
                cause: "Every call reads the format anew.")
        ]
    }
}
