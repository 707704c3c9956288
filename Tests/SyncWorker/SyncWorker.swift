import Anabranch
import AnabranchSync
import Foundation
import TestSupport

/// A client that a test may kill at any moment: saves at random and syncs, for ever.
///
/// `SyncWorker STORE SERVER ZONE SEED`, the token in `ANABRANCH_TOKEN`. Every save inserts two
/// notes of one pair, so that half a save could be seen.
@main
enum SyncWorker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let server = URL(string: arguments[2]),
            let seed = UInt64(arguments[4])
        else { throw Usage() }
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: arguments[1]))
        try container.load()
        let engine = try SyncEngine(
            container: container, server: server, zone: arguments[3],
            token: ProcessInfo.processInfo.environment["ANABRANCH_TOKEN"] ?? "")
        var generator = SeededGenerator(seed: seed)
        let context = container.newBackgroundContext()
        while true {
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let save = NotesModel.RandomSave(using: &generator)
                try await context.perform { try save.run(in: $0) }
            }
            // The server may be dead: what was saved waits for the next round.
            _ = try? await engine.synchronize()
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "Usage: SyncWorker STORE SERVER ZONE SEED"
    }
}
