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
        let new = try Self.microseconds { number in
            // No format was read before.
            try FetchPredicate(
                "age >= \(number) AND lastName BEGINSWITH[c] %@", "An"
            ).check(for: entity)
        }
        let kept = try Self.microseconds { number in
            try FetchPredicate(
                "age >= %d AND lastName BEGINSWITH[c] %@", number, "An"
            ).check(for: entity)
        }
        return [
            Figure(
                "a new format read and checked", .amount(new, unit: "µs"), goal: 20,
                cause: "Reading takes most of the time, and half of that the memory of its parts."),
            Figure(
                "a format read and checked again", .amount(kept, unit: "µs"), goal: 2,
                cause: """
                    Only the text of the format is kept. The tree with the arguments is made anew,
                    and checked against the entity: both allocate a box for each part.
                    """),
        ]
    }

    /// The time of one call.
    private static func microseconds(_ body: (_ number: Int) throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure {
            for number in 0..<repetitions { try body(number) }
        }
        return time / .microseconds(1) / Double(repetitions)
    }
}
