import Anabranch
import Foundation

/// The size of change tracking in the file.
///
/// It compares the pages of the entity's table with those of the same table without Anabranch's
/// columns, after an update of one attribute in one row of ten.
struct TrackingBenchmark: Benchmark {
    static let name = "tracking"
    static let summary = "bytes a row that change tracking takes in the file"

    private static let saves = 10

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        let raw = try RawPeople(path: workbench.path("raw"))
        try raw.insert(data)
        let container = try PersonStore.open(workbench.path("store"), filledWith: data)
        let log = RawTableSizes(try RawDatabase(path: workbench.path("store")))
        let logOfInserts = try log.byteCount(ofTable: "ab_changeset")
        for save in 0..<Self.saves {
            let rows = Array(stride(from: save * 10, to: data.count, by: 10 * Self.saves))
            try raw.growOlder(rows: rows, from: data.ages)
            try Self.update(Set(rows.map { data.firstNames[$0] }), in: container)
        }
        let rows = Double(data.count)
        let plain = RawTableSizes(raw.database)
        let pages = try log.byteCount(ofTable: "Person") - plain.byteCount(ofTable: "Person")
        let content =
            try log.payloadByteCount(ofTable: "Person")
            - plain.payloadByteCount(ofTable: "Person")
        let logOfUpdates = try log.byteCount(ofTable: "ab_changeset") - logOfInserts
        return [
            Figure(
                "tracking in the entity's table",
                .amount(Double(pages) / rows, unit: "B/row"), goal: 16,
                cause: """
                    What goes beyond the rows themselves is room in pages that were full and split
                    when an update made a row longer. New rows use it, and VACUUM returns it.
                    """),
            Figure("of that in the rows", .amount(Double(content) / rows, unit: "B/row")),
            Figure("log, of an insert", .amount(Double(logOfInserts) / rows, unit: "B/row")),
            Figure(
                "log, of an update of one attribute",
                .amount(Double(logOfUpdates) * 10 / rows, unit: "B/row")),
        ]
    }

    private static func update(
        _ firstNames: Set<String>, in container: PersistentContainer
    ) throws {
        try container.newBackgroundContext().performAndWait { context in
            for person in try context.fetch(FetchRequest<Person>()) {
                guard let name = person.firstName, firstNames.contains(name) else { continue }
                person.age += 1
            }
            try context.save()
        }
    }
}
