import Anabranch
import Foundation

/// Reads all objects in batches of twenty.
struct BatchesBenchmark: Benchmark {
    static let name = "batches"
    static let summary = "all objects read in batches of twenty, and the memory that it takes"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        _ = try PersonStore.open(workbench.path("store"), filledWith: workbench.data)
        let container = try PersonStore.open(workbench.path("store"))
        let (megabytes, seconds) = try container.newBackgroundContext().performAndWait {
            context in
            var request = FetchRequest<Person>()
            request.fetchBatchSize = 20
            let before = ProcessMemory.currentBytes
            var greatest = before
            let time = try ContinuousClock().measure {
                var sum: Int64 = 0
                for (index, person) in try context.fetchBatched(request).enumerated() {
                    sum &+= person.age
                    if index.isMultiple(of: 5000) {
                        greatest = max(greatest, ProcessMemory.currentBytes)
                    }
                }
                guard sum > 0 else { throw Unexpected("no objects were read") }
            }
            return (Double(greatest - before) / 1_048_576, time / .seconds(1))
        }
        return [
            Figure("memory of batches of 20", .amount(megabytes, unit: "MiB"), goal: 30),
            Figure("objects in batches of 20", .rate(Double(workbench.rows) / seconds)),
        ]
    }
}
