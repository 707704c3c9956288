import Anabranch
import Foundation

/// The object of the migrated store. Every one but the first of a save refers to another one.
@Entity
final class Employee: ManagedObject {
    var age: Int64
    var firstName: String?
    var lastName: String?
    var boss: Employee?
}

/// Migrates a store of a million employees to other versions of its model.
struct MigrateBenchmark: Benchmark {
    static let name = "migrate"
    static let summary =
        "a million records migrated: attributes added, renamed and removed, a to-one made to-many"

    private static let records = 1_000_000

    /// A change of the model that a migration has to carry out.
    private enum Step: CaseIterable {
        case add, rename, remove, showDefault, makeToMany
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
            Figure(
                "records in a pass (a to-one made to-many)",
                .rate(Double(Self.records) / seconds(.makeToMany)), goal: 100_000),
        ]
    }

    /// The model, or another version of it.
    private static func model(after step: Step? = nil) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Employee") {
                AttributeDeclaration(
                    "age", .integer64, default: step == .showDefault ? 18 : nil)
                AttributeDeclaration(
                    step == .rename ? "givenName" : "firstName", .string,
                    wireName: "firstName", renamingIdentifier: "firstName")
                if step != .remove { AttributeDeclaration("lastName", .string) }
                if step == .add { AttributeDeclaration("nickname", .string, default: "-") }
                if step == .makeToMany {
                    RelationshipDeclaration("boss", toMany: "Employee")
                } else {
                    RelationshipDeclaration("boss", to: "Employee")
                }
                IndexDeclaration("byAge", on: "age")
            }
        }
    }

    private func fill(_ workbench: Workbench, _ store: String) throws {
        let container = PersistentContainer(
            model: try Self.model(), classes: [Employee.self], url: URL(fileURLWithPath: store))
        try container.load()
        let data = workbench.data
        var made = 0
        while made < Self.records {
            let count = min(workbench.rows, Self.records - made)
            try container.newBackgroundContext().performAndWait { context in
                var boss: Employee?
                for row in 0..<count {
                    let employee = try context.insert(Employee.self)
                    employee.age = data.ages[row]
                    employee.firstName = data.firstNames[row]
                    employee.lastName = data.lastNames[row]
                    employee.boss = boss
                    if row % 10 == 0 { boss = employee }
                }
                try context.save()
            }
            made += count
        }
        container.coordinator.close()
    }

    /// Opens a store with another version of its model, and returns the time that this takes.
    private func migrate(_ store: String, by step: Step) throws -> Duration {
        let container = PersistentContainer(
            model: try Self.model(after: step), url: URL(fileURLWithPath: store))
        let start = ContinuousClock.now
        try container.load()
        let time = ContinuousClock.now - start
        container.coordinator.close()
        return time
    }
}
