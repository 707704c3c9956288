import Anabranch

/// Changes one object among all, and waits for the new result of a live query.
struct LiveBenchmark: Benchmark {
    static let name = "live"
    static let summary = "one change among all objects, told to a live query"

    /// The greatest number of changes. A small store has one for every second object.
    private static let maximumChanges = 1000

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let container = try PersonStore.open(
            workbench.path("store"), filledWith: workbench.data)
        let time = try await Self.medianTime(container)
        return [
            Figure(
                "a change until the live query has it", .amount(time, unit: "µs"), goal: 100,
                cause: "The new place is found by bisection, and the task is woken.")
        ]
    }

    /// - Returns: Microseconds.
    @MainActor
    private static func medianTime(_ container: PersistentContainer) async throws -> Double {
        let context = container.viewContext
        let request = try FetchRequest<Person>(sortedBy: \.age)
        var results = context.values(of: request).makeAsyncIterator()
        guard let people = try await results.next(), people.count > 1 else {
            throw Unexpected("there are too few objects")
        }
        let changes = min(maximumChanges, people.count / 2)
        let step = people.count / changes
        var times: [Double] = []
        for number in 0..<changes {
            let person = people[number * step]
            let start = ContinuousClock.now
            person.age = (person.age + 500) % 1000
            context.processPendingChanges()
            guard try await results.next() != nil else { throw Unexpected("the query ended") }
            times.append((ContinuousClock.now - start) / .microseconds(1))
        }
        return times.sorted()[times.count / 2]
    }
}
