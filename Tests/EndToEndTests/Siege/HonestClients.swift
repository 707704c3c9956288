import Anabranch
import AnabranchSync
import Foundation
import TestSupport
import Testing

/// Two stores that sync through a daemon, and measure how long each exchange takes.
final class HonestClients {
    private let author: Client
    private let reader: Client
    private let folder: TemporaryDirectory
    private(set) var savedCount = 0

    private final class Client {
        let container: PersistentContainer
        let engine: SyncEngine

        init(_ name: String, of daemon: DaemonUnderTest, in folder: TemporaryDirectory) throws {
            container = PersistentContainer(
                model: try NotesModel.make(), url: URL(filePath: folder.file("\(name).anabranch")))
            try container.load()
            engine = try SyncEngine(
                container: container, server: daemon.url, zone: DaemonUnderTest.zone,
                token: daemon.token)
        }

        /// Syncs until the store has all that the zone has, and the zone all that it has.
        ///
        /// - Returns: The seconds that it took.
        func catchUp() async throws -> Double {
            let start = ContinuousClock.now
            while start.duration(to: .now) < .seconds(60) {
                if let outcome = try? await engine.synchronize(), outcome.isCaughtUp { break }
            }
            return start.duration(to: .now) / .seconds(1)
        }

        func save() async throws {
            try await container.performBackgroundTask { context in
                let note = try context.insert("Note")
                note["text"] = .string("a note")
                try context.save()
            }
        }

        func count() async throws -> Int {
            try await container.performBackgroundTask {
                try $0.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
            }
        }
    }

    init(of daemon: DaemonUnderTest, in folder: TemporaryDirectory) throws {
        author = try Client("author", of: daemon, in: folder)
        reader = try Client("reader", of: daemon, in: folder)
        self.folder = folder
    }

    /// How long exchanges took.
    struct Times: CustomStringConvertible {
        fileprivate var exchanges: [(start: Date, seconds: Double)] = []

        var slowest: Double { sorted.first?.seconds ?? 0 }
        private var sorted: [(start: Date, seconds: Double)] {
            exchanges.sorted { $0.seconds > $1.seconds }
        }

        /// The number and the middle, and the slowest five with the seconds after which they began.
        var description: String {
            func text(_ seconds: Double) -> String { String(format: "%.0f ms", seconds * 1000) }
            let (sorted, start) = (sorted, exchanges.first?.start ?? .now)
            let slowest = sorted.prefix(5).map {
                "\(text($0.seconds)) after \(Int($0.start.timeIntervalSince(start))) s"
            }
            let middle = sorted.isEmpty ? 0 : sorted[sorted.count / 2].seconds
            return "\(sorted.count) exchanges, middle \(text(middle)), slowest "
                + slowest.joined(separator: ", ")
        }
    }

    /// Saves notes and syncs both stores, one after the other, for some seconds.
    func exchange(seconds: Double) async throws -> Times {
        var times = Times()
        let end = Date(timeIntervalSinceNow: seconds)
        repeat {
            try await author.save()
            savedCount += 1
            for client in [author, reader] {
                times.exchanges.append((.now, try await client.catchUp()))
            }
            try await Task.sleep(for: .milliseconds(20))
        } while Date() < end
        return times
    }

    /// Expects that both stores and a new one have every note.
    func expectNothingLost(in daemon: DaemonUnderTest) async throws {
        let newcomer = try Client("newcomer", of: daemon, in: folder)
        for client in [author, reader, newcomer] {
            _ = try await client.catchUp()
            let count = try await client.count()
            #expect(count == savedCount)
        }
        newcomer.container.coordinator.close()
    }

    func close() {
        for client in [author, reader] { client.container.coordinator.close() }
    }
}
