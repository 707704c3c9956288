import Anabranch

/// Reads and writes an integer attribute through the accessor of a class.
struct AccessorBenchmark: Benchmark {
    static let name = "accessor"
    static let summary = "an Int64 attribute of an object in memory read and written"

    private static let accesses = 10_000_000

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let container = try PersonStore.open(workbench.path("store"))
        var reads: [Duration] = []
        var writes: [Duration] = []
        try container.newBackgroundContext().performAndWait { context in
            let person = try context.insert(Person.self)
            for _ in 0..<workbench.rounds {
                writes.append(ContinuousClock().measure { Self.write(person) })
                var sum: Int64 = 0
                reads.append(ContinuousClock().measure { sum = Self.read(person) })
                guard sum != 0 else { throw Unexpected("nothing was read") }
            }
        }
        return [
            Figure(
                "Int64 attribute read",
                .amount(reads.median.nanoseconds(each: Self.accesses), unit: "ns"), goal: 2),
            Figure(
                "Int64 attribute written",
                .amount(writes.median.nanoseconds(each: Self.accesses), unit: "ns"), goal: 40),
        ]
    }

    @inline(never)
    private static func read(_ person: Person) -> Int64 {
        var sum: Int64 = 0
        for _ in 0..<accesses { sum ^= person.age &+ sum }
        return sum | 1
    }

    @inline(never)
    private static func write(_ person: Person) {
        for number in 0..<accesses { person.age = Int64(number) }
    }
}
