import Anabranch
import AnabranchReplication
import AnabranchStore
import AnabranchSync
import Foundation
import TestSupport

/// A store and the process that uses it.
final class ClientUnderTest {
    let path: String
    private let daemon: DaemonUnderTest
    private let log: URL
    private var process: ChildProcess?

    /// Creates a client with a running process.
    init(
        _ number: Int, of daemon: DaemonUnderTest, in folder: TemporaryDirectory, seed: UInt64
    ) throws {
        self.daemon = daemon
        path = folder.file("client-\(number).anabranch")
        log = folder.url.appending(path: "client-\(number).log")
        try start(seed: seed)
    }

    /// Creates a client without a process or a store.
    init(unborn number: Int, of daemon: DaemonUnderTest, in folder: TemporaryDirectory) throws {
        self.daemon = daemon
        path = folder.file("client-\(number).anabranch")
        log = folder.url.appending(path: "client-\(number).log")
    }

    func start(seed: UInt64) throws {
        process = try ChildProcess(
            try BuiltProducts.executable("SyncWorker"),
            [path, daemon.url.absoluteString, DaemonUnderTest.zone, "\(seed)"],
            environment: ["ANABRANCH_TOKEN": daemon.token], log: log)
    }

    func kill() { process?.kill() }

    /// Syncs the store in this process.
    func synchronize() async throws -> SyncOutcome {
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: path))
        try container.load()
        let engine = try SyncEngine(
            container: container, server: daemon.url, zone: DaemonUnderTest.zone,
            token: daemon.token)
        return try await engine.synchronize()
    }

    /// Returns the saves that this client knows to be in the zone; none before its store exists.
    func acknowledgedOrigins() throws -> Set<Digest> {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try withStore { store in
            try store.read { reader in
                Set(
                    try reader.changeSets(after: 0, limit: .max)
                        .filter { $0.place != nil }.map(\.changeSet.origin))
            }
        }
    }

    struct State {
        let hash: Digest
        let vector: VersionVector
        let origins: Set<Digest>
        /// The number of pairs with only one note.
        let halfPairs: Int
    }

    func state() throws -> State {
        try withStore { store in
            let hash = try store.canonicalHash()
            return try store.read { reader in
                let sets = try reader.changeSets(after: 0, limit: .max)
                return State(
                    hash: hash, vector: try reader.versionVector(),
                    origins: Set(sets.map(\.changeSet.origin)),
                    halfPairs: try Self.halfPairs(reader))
            }
        }
    }

    /// Counts the pairs with only one note. Deletes are of whole pairs too, so the count is always
    /// zero.
    private static func halfPairs(_ reader: StoreReader) throws -> Int {
        guard let note = reader.schema.model.entity(named: "Note"),
            let slot = note.slotIndex(named: "pair")
        else { return 0 }
        var counts: [Value: Int] = [:]
        try reader.rows(FetchQuery(entity: note)) { counts[$0.slots[slot], default: 0] += 1 }
        return counts.values.count { $0 != 2 }
    }

    private func withStore<Result>(_ body: (Store) throws -> Result) throws -> Result {
        // A process that was killed while it created the store has left an empty file.
        let store = try Store.open(at: path, model: try NotesModel.make())
        defer { store.close() }
        return try body(store)
    }
}
