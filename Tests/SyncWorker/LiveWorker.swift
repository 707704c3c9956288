import Anabranch
import AnabranchSync
import Foundation
import TestSupport

/// A worker that saves at random while an engine syncs live, and records each successful save in a
/// ledger.
struct LiveWorker {
    private let container: PersistentContainer
    private let ledger: FileHandle
    private let stop: String
    private var generator: SeededGenerator

    /// The limit of pairs, so that a long run does not slow down.
    private static let maximumPairs = 200

    /// Short periods, so that a run of seconds meets what otherwise takes minutes. The server sends
    /// a sign of life on a silent stream every 20 seconds.
    static var options: SyncOptions {
        var options = SyncOptions()
        options.connectTimeout = .seconds(2)
        options.requestTimeout = .seconds(3)
        options.eventSilence = .seconds(25)
        options.retry.longestDelay = .seconds(2)
        return options
    }

    init(
        _ container: PersistentContainer, ledger: String, stop: String, generator: SeededGenerator
    ) throws {
        self.container = container
        self.stop = stop
        self.generator = generator
        if !FileManager.default.fileExists(atPath: ledger) {
            _ = FileManager.default.createFile(atPath: ledger, contents: nil)
        }
        self.ledger = try FileHandle(forWritingTo: URL(filePath: ledger))
        try self.ledger.seekToEnd()
    }

    mutating func run() async throws {
        while true {
            let pause = Int.random(in: 20...220, using: &generator)
            try await Task.sleep(for: .milliseconds(pause))
            guard !FileManager.default.fileExists(atPath: stop) else { continue }
            try await save()
        }
    }

    private mutating func save() async throws {
        let save = NotesModel.RandomSave(using: &generator)
        let coordinator = container.coordinator
        let before = try coordinator.currentHistoryPosition()
        do {
            try await container.performBackgroundTask {
                try save.run(in: $0, maximumPairs: Self.maximumPairs)
            }
        } catch let error as SaveConflictError {
            // Another client's change arrived between the read and the save: nothing was saved.
            return print("conflict: \(error.code.rawValue)")
        }
        let own = try coordinator.replicaID
        let origins = try coordinator.changeSets(after: before).map(\.changeSet)
            .filter { $0.dot.replica == own }.map { "\($0.origin)\n" }
        try ledger.write(contentsOf: Data(origins.joined().utf8))
    }
}
