import Anabranch
import AnabranchSync
import Foundation
import TestSupport
import Testing

/// Two stores that exchange notes through a server.
struct NotesExchange {
    let folder: TemporaryDirectory
    let server: URL
    let token: String
    var options = SyncOptions()

    /// Saves notes in one store and expects them in another store.
    func run() async throws {
        let (first, second) = (try container("first"), try container("second"))
        var generator = SeededGenerator(seed: 31)
        let save = NotesModel.RandomSave(using: &generator)
        try await first.performBackgroundTask { try save.run(in: $0) }
        #expect(try await synchronize(first))
        #expect(try await synchronize(second))
        let counts = [try await count(first), try await count(second)]
        #expect(counts == [2, 2])
    }

    private func container(_ name: String) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: folder.file("\(name).anabranch")))
        try container.load()
        return container
    }

    private func synchronize(_ container: PersistentContainer) async throws -> Bool {
        let engine = try SyncEngine(
            container: container, server: server, zone: "notes", token: token, options: options)
        return try await engine.synchronize().isCaughtUp
    }

    private func count(_ container: PersistentContainer) async throws -> Int {
        try await container.performBackgroundTask {
            try $0.fetch(FetchRequest<ManagedObject>(entityName: "Note")).count
        }
    }
}
