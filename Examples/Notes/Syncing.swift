import Anabranch
import AnabranchSync
import Foundation

/// A note that is being written, which stays in this store.
@Entity
nonisolated final class Draft: ManagedObject {
    var text: String?
}

/// The code of the article *Sync an app*.
extension Notes {
    static func synchronize(
        _ container: PersistentContainer, with server: URL, token: String?
    ) async throws {
        let engine = try SyncEngine(
            container: container, server: server, zone: "notes", token: token)
        let outcome = try await engine.synchronize()
        print(outcome.pushedChangeSets, "up,", outcome.pulledChangeSets, "down")

        for conflict in try container.coordinator.conflicts(.all, limit: 100) {
            print(conflict.entity, conflict.propertyName, "lost", conflict.value)
        }
        for rejected in try container.coordinator.rejectedSaves() {
            print(rejected.rejection.reason)
        }
    }

    static func openWithDrafts(_ url: URL) throws -> PersistentContainer {
        let model = try ManagedObjectModel(
            classes: [Folder.self, Note.self, Draft.self],
            configurations: [ModelConfiguration("Local", "Draft", isSynced: false)])
        let container = PersistentContainer(
            model: model, classes: [Folder.self, Note.self, Draft.self], url: url)
        try container.load()
        return container
    }

    static func follow(
        _ container: PersistentContainer, withTokensOf newToken: () async throws -> String
    ) async throws {
        while !Task.isCancelled {
            let engine = try SyncEngine(container: container, token: try await newToken())
            engine.start()
            for await status in engine.statusUpdates
            where status.lastError?.code == .unauthorized { break }
            await engine.stop()
        }
    }

    static func follow(_ engine: SyncEngine) async {
        engine.start()
        for await status in engine.statusUpdates {
            let state = status.isCaughtUp ? "caught up" : "behind"
            print(status.pendingCount, "saves to push,", state)
        }
    }
}
