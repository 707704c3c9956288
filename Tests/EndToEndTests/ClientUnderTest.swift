import Anabranch
import AnabranchReplication
import AnabranchStore
import AnabranchSync
import Foundation
import TestSupport

/// A store and the process that uses it.
final class ClientUnderTest {
    let path: String
    private let place: ZonePlace
    private let log: URL
    private var process: ChildProcess?

    /// The address of a zone, and the token for it.
    struct ZonePlace {
        var server: URL
        var zone = DaemonUnderTest.zone
        var token: String
    }

    /// Creates a client with a running process.
    init(
        _ number: Int, of daemon: DaemonUnderTest, in folder: TemporaryDirectory, seed: UInt64
    ) throws {
        place = ZonePlace(server: daemon.url, token: daemon.token)
        path = folder.file("client-\(number).anabranch")
        log = folder.url.appending(path: "client-\(number).log")
        try start(seed: seed)
    }

    /// Creates a client without a process or a store.
    convenience init(
        unborn number: Int, of daemon: DaemonUnderTest, in folder: TemporaryDirectory
    ) throws {
        self.init(
            unborn: "client-\(number)", of: ZonePlace(server: daemon.url, token: daemon.token),
            in: folder)
    }

    /// Creates a client of any zone, without a process or a store.
    init(unborn name: String, of place: ZonePlace, in folder: TemporaryDirectory) {
        self.place = place
        path = folder.file("\(name).anabranch")
        log = folder.url.appending(path: "\(name).log")
    }

    /// Starts the process.
    ///
    /// - Parameter further: Further arguments of `SyncWorker`.
    func start(seed: UInt64, _ further: [String] = []) throws {
        process = try ChildProcess(
            try BuiltProducts.executable("SyncWorker"),
            [path, place.server.absoluteString, place.zone, "\(seed)"] + further,
            environment: ["ANABRANCH_TOKEN": place.token], log: log)
    }

    func kill() { process?.kill() }

    /// The number of the process; zero before its start.
    var identifier: Int32 { process?.identifier ?? 0 }

    /// Syncs the store in this process.
    func synchronize() async throws -> SyncOutcome {
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: path))
        try container.load()
        let engine = try SyncEngine(
            container: container, server: place.server, zone: place.zone, token: place.token)
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
        /// True if the log holds a save twice.
        let hasDoubles: Bool
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
                    hasDoubles: Set(sets.map(\.changeSet.dot)).count < sets.count,
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
        var counts: [PropertyValue: Int] = [:]
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
