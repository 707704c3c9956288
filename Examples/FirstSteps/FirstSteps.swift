import Anabranch
import AnabranchSync
import Foundation

@main
enum FirstSteps {
    static func main() async throws {
        let model = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
        let container = PersistentContainer(model: model, url: URL(filePath: "people.store"))
        try container.load()
        try await container.performBackgroundTask { context in
            try context.insert("Person")["name"] = "Anna"
            try context.save()  // One change set: it survives a crash, and it syncs.
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
