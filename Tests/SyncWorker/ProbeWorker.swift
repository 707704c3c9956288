import Anabranch
import AnabranchSync
import Foundation
import TestSupport

/// A worker that saves and waits until the zone has the save, again and again, and notes when.
struct ProbeWorker {
    private let container: PersistentContainer
    private let engine: SyncEngine
    private let times: FileHandle
    private var generator: SeededGenerator

    /// The limit of pairs, so that a long run does not slow down.
    private static let maximumPairs = 20
    private static let pause = Duration.milliseconds(100)

    /// - Parameter times: The file that gets a line for each save that the zone has: the time in
    ///   milliseconds since 1970.
    init(
        _ container: PersistentContainer, _ engine: SyncEngine, times: String,
        generator: SeededGenerator
    ) throws {
        self.container = container
        self.engine = engine
        self.generator = generator
        _ = FileManager.default.createFile(atPath: times, contents: nil)
        self.times = try FileHandle(forWritingTo: URL(filePath: times))
    }

    mutating func run() async throws {
        while true {
            let save = NotesModel.RandomSave(using: &generator)
            try await container.performBackgroundTask {
                try save.run(in: $0, maximumPairs: Self.maximumPairs)
            }
            while true {
                do {
                    _ = try await engine.synchronize()
                    break
                } catch { try await Task.sleep(for: Self.pause) }
            }
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try times.write(contentsOf: Data("\(now)\n".utf8))
            try await Task.sleep(for: Self.pause)
        }
    }
}
