import Anabranch
import AnabranchSync
import Foundation

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

    static func follow(_ engine: SyncEngine) async {
        engine.start()
        for await status in engine.statusUpdates {
            let state = status.isCaughtUp ? "caught up" : "behind"
            print(status.pendingCount, "saves to push,", state)
        }
    }
}
