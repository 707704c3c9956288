import Anabranch
import AnabranchSync
import Foundation
import TestSupport

/// A client that a test may kill at any moment: saves at random and syncs, for ever.
///
/// `SyncWorker STORE SERVER ZONE SEED [LEDGER STOP]`, the token in `ANABRANCH_TOKEN`. Every save
/// inserts two notes of one pair, so that half a save could be seen. With a ledger it syncs live
/// and writes each save there that it was told of; once a file STOP is there it saves no more.
@main
enum SyncWorker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 || arguments.count == 7,
            let server = URL(string: arguments[2]), let seed = UInt64(arguments[4])
        else { throw Usage() }
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: arguments[1]))
        try container.load()
        let engine = try SyncEngine(
            container: container, server: server, zone: arguments[3],
            token: ProcessInfo.processInfo.environment["ANABRANCH_TOKEN"] ?? "",
            options: arguments.count == 7 ? LiveWorker.options : SyncOptions())
        let generator = SeededGenerator(seed: seed)
        guard arguments.count == 7 else {
            return try await run(container, engine, generator)
        }
        var worker = try LiveWorker(
            container, ledger: arguments[5], stop: arguments[6], generator: generator)
        engine.start()
        try await worker.run()
    }

    private static func run(
        _ container: PersistentContainer, _ engine: SyncEngine, _ seeded: SeededGenerator
    ) async throws {
        var generator = seeded
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
        let description = "Usage: SyncWorker STORE SERVER ZONE SEED [LEDGER STOP]"
    }
}
