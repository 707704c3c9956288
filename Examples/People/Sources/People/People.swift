import Anabranch
import Foundation

/// Finds objects in the background and shows them in the main context.
///
/// The background context fetches only IDs and passes them to the main context. There each ID
/// becomes a fault, which reads its values at the first access. The build generates `Person`,
/// its `Address` and `PeopleModel` from `People.xcdatamodeld`.
@main
enum People {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "people-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = PersistentContainer(
            model: try PeopleModel.load(), classes: PeopleModel.classes,
            url: folder.appending(path: "people.store"))
        try container.load()

        let background = container.newBackgroundContext()
        let ids = try await background.perform { context in
            for age in 0..<1000 {
                let person = try context.insert(Person.self)
                person.firstName = "First \(age)"
                person.lastName = "Last \(age)"
                person.age = Int64(age)
                person.address = Address(city: age.isMultiple(of: 2) ? "Bern" : "Basel")
            }
            try context.save()
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("(age >= 100) AND (age <= 200)")
            return try context.objectIDs(for: request)
        }
        show(ids, in: container)
    }

    @MainActor
    private static func show(_ ids: [ManagedObjectID], in container: PersistentContainer) {
        let people = ids.compactMap { container.viewContext.object(with: $0) as? Person }
        let ages = people.map(\.age)
        let locals = people.filter { $0.address?.city == "Bern" }
        print("\(people.count) people, aged \(ages.min() ?? 0) to \(ages.max() ?? 0)")
        print("\(locals.count) of them live in Bern")
    }
}
