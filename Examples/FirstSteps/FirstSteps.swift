import Anabranch
import AnabranchSync
import Foundation

@main
enum FirstSteps {
    static func main() async throws {
        let model = try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Attribute("age", .integer64, optional: false, default: 0)
            }
        }
        let container = PersistentContainer(model: model, url: URL(filePath: "people.store"))
        try container.load()
        try await container.performBackgroundTask { context in
            try context.insert("Person")["name"] = "Anna"
            try context.save()  // One change set: it survives a crash, and it syncs.
        }
        guard let server = ProcessInfo.processInfo.environment["SERVER"] else { return }
        let engine = try SyncEngine(
            container: container, server: URL(string: server), zone: "people",
            token: ProcessInfo.processInfo.environment["TOKEN"])
        print(try await engine.synchronize().pushedChangeSets, "saved change sets went up")
    }
}
