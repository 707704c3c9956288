import Anabranch
import Foundation

/// Migrates a store of a million persons to other versions of its model.
struct MigrateBenchmark: Benchmark {
    static let name = "migrate"
    static let summary = "a million records migrated: attributes added, renamed and removed"

    private static let records = 1_000_000

    /// A change of the model that a migration has to carry out.
    private enum Step: CaseIterable {
        case add, rename, remove, showDefault

        func change(_ person: inout Entity) {
            switch self {
            case .add: person.attributes.append(Attribute("nickname", .string, default: "-"))
            case .rename:
                person.attributes[1].renamingIdentifier = "firstName"
                person.attributes[1].wireName = "firstName"
                person.attributes[1].name = "givenName"
            case .remove: person.attributes.removeLast()
            case .showDefault: person.attributes[0].defaultValue = 18
            }
        }
    }

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let store = workbench.path("store")
        try fill(workbench, store)
        var times: [Step: [Duration]] = [:]
        for round in 0..<workbench.rounds {
            for step in Step.allCases {
                let copy = workbench.path("copy\(round)\(step)")
                try FileManager.default.copyItem(atPath: store, toPath: copy)
                times[step, default: []].append(try migrate(copy, by: step))
                try FileManager.default.removeItem(atPath: copy)
            }
        }
        func seconds(_ step: Step) -> Double { (times[step] ?? []).median.seconds }
        return [
            Figure(
                "an added attribute, 1,000,000 records", .amount(seconds(.add), unit: "s"),
                goal: 0.5),
            Figure(
                "a renamed attribute, 1,000,000 records", .amount(seconds(.rename), unit: "s"),
                goal: 0.5),
            Figure(
                "a removed attribute, 1,000,000 records", .amount(seconds(.remove), unit: "s"),
                goal: 0.5),
            Figure(
                "records in a pass (a changed default)",
                .rate(Double(Self.records) / seconds(.showDefault)), goal: 100_000),
        ]
    }

    private func fill(_ workbench: Workbench, _ store: String) throws {
        let container = try PersonStore.open(store)
        var made = 0
        while made < Self.records {
            let count = min(workbench.rows, Self.records - made)
            try container.newBackgroundContext().performAndWait { context in
                try PersonStore.insert(workbench.data, rows: 0..<count, into: context)
            }
            made += count
        }
        container.coordinator.close()
    }

    /// Opens a store with another version of its model, and returns the time that this takes.
    private func migrate(_ store: String, by step: Step) throws -> Duration {
        var declaration = try PersonStore.model().declaration
        step.change(&declaration.entities[0])
        let container = PersistentContainer(
            model: try ManagedObjectModel(declaration), url: URL(fileURLWithPath: store))
        let start = ContinuousClock.now
        try container.load()
        let time = ContinuousClock.now - start
        container.coordinator.close()
        return time
    }
}
