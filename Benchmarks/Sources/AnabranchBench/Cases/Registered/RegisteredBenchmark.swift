import Anabranch

/// The cost of one change in a context with many registered objects.
///
/// It should be the same with 100,000 objects as with 1,000.
struct RegisteredBenchmark: Benchmark {
    static let name = "registered"
    static let summary = "one change among 1,000 and among 100,000 registered objects"

    private static let sizes = [1000, 100_000]
    private static let repetitions = 40
    /// A limit, so that enough objects are left to be deleted one by one.
    private static let maximumRepetitions = sizes[0] / 4
    /// The microseconds that accesses to uncached memory add among so many objects.
    private static let coldMemory = 10.0
    private static let cause = """
        Something looks at every registered object, or at every row of the file.
        """

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let count = min(Self.repetitions * workbench.rounds, Self.maximumRepetitions)
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

/// One operation on one of many objects.
struct RegisteredTask {
    let title: String
    /// Runs it once, and returns the time of the measured part without its preparation.
    ///
    /// The argument is another number each time.
    let time: (_ turn: Int) throws -> Duration
}
