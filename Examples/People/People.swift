// A thousand people are saved; those between 100 and 200 years old are found in the background,
// by their IDs alone, and become objects in the main context.
//
//     swift run People [FILE]

import Anabranch
import Foundation

final class Person: ManagedObject {
    override class var entityName: String { "Person" }
    override class var slotNames: [String] { ["age", "firstName", "lastName"] }

    var age: Int64 {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var firstName: String? {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    var lastName: String? {
        get { self[slot: 2] }
        set { self[slot: 2] = newValue }
    }
}

@main
struct People {
    @MainActor
    static func main() async throws {
        let model = try ManagedObjectModel {
            Entity("Person") {
                Attribute("age", .integer64, optional: false, default: 0)
                Attribute("firstName", .string)
                Attribute("lastName", .string)
                Index("byAge", on: "age")
            }
        }
        let container = PersistentContainer(model: model, classes: [Person.self], url: file())
        try container.load()

        let ids = try await container.newBackgroundContext().perform { context in
            for age in 0..<1000 {
                let person = try context.insert(Person.self)
                person.firstName = "First \(age)"
                person.lastName = "Last \(age)"
                person.age = Int64(age)
            }
            try context.save()

            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("(age >= 100) AND (age <= 200)")
            return try context.objectIDs(for: request)
        }

        let context = container.viewContext
        let people = ids.compactMap { context.object(with: $0) as? Person }
        let ages = people.map(\.age)
        print("\(people.count) people, from \(ages.min() ?? 0) to \(ages.max() ?? 0) years old")
    }

    /// A new file, unless one is named.
    private static func file() -> URL {
        if CommandLine.arguments.count > 1 { return URL(filePath: CommandLine.arguments[1]) }
        return FileManager.default.temporaryDirectory
            .appending(path: "people-\(UUID().uuidString).anabranch")
    }
}
