import Anabranch
import AnabranchSync
import Foundation

@Entity
nonisolated final class Person: ManagedObject {
    var name: String?
}

@main
enum FirstSteps {
    static func main() async throws {
        let container = try PersistentContainer(
            for: Person.self, url: URL(filePath: "people.store"))
        try container.load()
        try await container.performBackgroundTask { context in
            try context.insert(Person.self).name = "Anna"
            try context.save()  // One change set: it survives a crash, and it syncs.
            let people = try context.fetch(
                FetchRequest<Person>(where: \.name != nil, sortedBy: \.name))
            print(people.compactMap(\.name))
        }
        let environment = ProcessInfo.processInfo.environment
        if let server = environment["SERVER"] {
            let engine = try SyncEngine(
                container: container, server: URL(string: server), zone: "people",
                token: environment["TOKEN"])
            print(try await engine.synchronize().pushedChangeSets, "saved change sets went up")
        }
    }
}
