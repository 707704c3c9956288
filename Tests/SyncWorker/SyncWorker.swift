import Anabranch
import AnabranchSync
import Foundation
import TestSupport

/// A client that a test may kill at any moment. It saves at random and syncs, without end.
///
/// `SyncWorker STORE SERVER ZONE SEED [TIMES | LEDGER STOP]`, with the token in `ANABRANCH_TOKEN`.
/// Every save inserts the two notes of one pair, so that half a save would be visible. With a
/// ledger it syncs live and records each successful save there. When the file STOP exists, it saves
/// no more. With a file TIMES it waits until the zone has each save, and notes the time there.
/// `SyncWorker STORE SAVES SEED` saves so many times without a server, with its ledger beside the
/// store: `STORE.SEED`.
@main
enum SyncWorker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, let saves = Int(arguments[2]), let seed = UInt64(arguments[3]) {
            return try await takeTurns(at: arguments[1], saves, seed)
        }
        guard (5...7).contains(arguments.count),
            let server = URL(string: arguments[2]), let seed = UInt64(arguments[4])
        else { throw Usage() }
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: arguments[1]))
        try container.load()
        let engine = try SyncEngine(
            container: container, server: server, zone: arguments[3],
            token: ProcessInfo.processInfo.environment["ANABRANCH_TOKEN"] ?? "",
            options: arguments.count > 5 ? LiveWorker.options : SyncOptions())
        let generator = SeededGenerator(seed: seed)
        if arguments.count == 6 {
            var probe = try ProbeWorker(
                container, engine, times: arguments[5], generator: generator)
            return try await probe.run()
        }
        guard arguments.count == 7 else {
            return try await run(container, engine, generator)
        }
        var worker = try LiveWorker(
            container, ledger: arguments[5], stop: arguments[6], generator: generator)
        engine.start()
        try await worker.run()
    }

    private static func takeTurns(at path: String, _ saves: Int, _ seed: UInt64) async throws {
        let container = PersistentContainer(model: try NotesModel.make(), url: URL(filePath: path))
        try container.load()
        let ledger = "\(path).\(seed)"
        _ = FileManager.default.createFile(atPath: ledger, contents: nil)
        var worker = TurnWorker(
            container: container, ledger: try FileHandle(forWritingTo: URL(filePath: ledger)),
            generator: SeededGenerator(seed: seed))
        try await worker.run(saves: saves)
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
            // The server may be dead: the save waits for the next round.
            _ = try? await engine.synchronize()
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description =
            "Usage: SyncWorker STORE (SERVER ZONE SEED [TIMES | LEDGER STOP] | SAVES SEED)"
    }
}
