import Anabranch

/// What one change costs in a context in which many objects are in use: as much among 100,000 as
/// among 1,000.
struct RegisteredBenchmark: Benchmark {
    static let name = "registered"
    static let summary = "one change among 1,000 and among 100,000 registered objects"

    private static let sizes = [1000, 100_000]
    private static let repetitions = 40
    /// Objects that are deleted one by one must not run out.
    private static let mostRepetitions = sizes[0] / 4
    /// Microseconds for what lies in no cache of the processor among so many.
    private static let coldMemory = 10.0
    private static let cause = """
        Something looks at every registered object, or at every row of the file.
        """

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let count = min(Self.repetitions * workbench.rounds, Self.mostRepetitions)
        let times = try Self.sizes.map { size in
            let crew = try Crew(workbench.path("crew\(size)"), size: size)
            let roster = try Roster(workbench.path("roster\(size)"), size: size)
            return try (crew.timedTasks + roster.timedTasks).map { task in
                let durations = try (0..<count).map(task.time)
                return (task.title, durations.median.microseconds)
            }
        }
        return zip(times[0], times[1]).flatMap { few, many in
            [
                Figure("\(few.0), among 1,000", .amount(few.1, unit: "µs")),
                Figure(
                    "\(many.0), among 100,000", .amount(many.1, unit: "µs"),
                    goal: few.1 * 2 + Self.coldMemory, cause: Self.cause),
            ]
        }
    }
}

/// One thing that is done to one of many objects.
struct RegisteredTask {
    let title: String
    /// Does it once; it returns the time of what counts, without its preparation. The argument is
    /// another number each time.
    let time: (_ turn: Int) throws -> Duration
}

extension Duration {
    fileprivate var microseconds: Double { seconds * 1e6 }
}
