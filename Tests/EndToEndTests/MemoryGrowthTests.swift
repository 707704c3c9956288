import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// The memory of the programs does not grow with a log that is doubled three times.
@Suite(.waiting, .serialized) struct MemoryGrowthTests {
    /// The bytes of a save. They have no repetitions, so that compression does not shrink them.
    private static let saveBytes = 256 << 10
    /// The least input fills the caches of SQLite.
    private static let saveCounts = [64, 128, 256, 512]
    /// The memory by which a program may grow, while its input grows by 112 MiB.
    private static let tolerance = 24 << 20

    private let folder: TemporaryDirectory
    private let model: ManagedObjectModel

    init() throws {
        folder = try TemporaryDirectory("memory-growth")
        model = try ManagedObjectModel {
            EntityDeclaration("Film") { AttributeDeclaration("content", .binary) }
        }
    }

    /// Fills a store with saves of one record each.
    private func fill(_ path: String, saves count: Int) throws {
        let store = try Store.open(at: path, model: model)
        defer { store.close() }
        let film = try #require(store.model.entity(named: "Film"))
        let slot = try #require(film.slotIndex(named: "content"))
        var generator = SeededGenerator(seed: 62)
        for _ in 0..<count {
            let words = (0..<Self.saveBytes / 8).map { _ in generator.next() }
            var row = [PropertyValue](repeating: .null, count: film.slots.count)
            row[slot] = .data(words.withUnsafeBytes { Data($0) })
            var request = SaveRequest(author: "import")
            request.inserts = [
                .init(entity: film, rows: [(try store.reserveNumbers(1).lowerBound, row)])
            ]
            _ = try store.save(request)
        }
    }

    private func create(_ name: String) throws -> String {
        try Store.open(at: folder.file(name), model: model).close()
        return folder.file(name)
    }

    /// Runs a command that succeeds.
    ///
    /// - Returns: The greatest memory that it had, in bytes.
    private func peak(
        _ words: String..., of program: String = "anabranch", token: String = ""
    ) throws -> Int {
        let log = folder.url.appending(path: "commands.log")
        let (status, peak) = try ChildProcess(
            BuiltProducts.executable(program), words, environment: ["ANABRANCH_TOKEN": token],
            log: log
        ).waitWatchingMemory()
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(status == 0, "\(text)")
        return peak
    }

    /// Expects that a program has no more memory for the largest input than for the smallest.
    private func expectLevel(_ peaks: [[String: Int]]) throws {
        for (name, least) in try #require(peaks.first) {
            let all = peaks.compactMap { $0[name] }
            let shown: Comment = "\(name): \(all.map { $0 >> 20 }) MiB"
            #expect(all.allSatisfy { (1..<least + Self.tolerance).contains($0) }, shown)
        }
    }

    @Test(.long) func `bundles are created, applied and verified in level memory`() throws {
        try expectLevel(
            Self.saveCounts.map { count in
                let (a, b) = (folder.file("\(count)-a.store"), try create("\(count)-b.store"))
                try fill(a, saves: count)
                let bundle = folder.file("\(count).bundle")
                return [
                    "create": try peak("bundle", "create", a, bundle),
                    "show": try peak("bundle", "show", bundle),
                    "apply": try peak("bundle", "apply", b, bundle),
                    "verify": try peak("verify", b, "--offline"),
                    "hash": try peak("hash", b),
                ]
            })
    }

    @Test(.long) func `saves are pushed, merged, pulled and verified in level memory`() throws {
        try expectLevel(
            Self.saveCounts.map { count in
                let zones = try TemporaryDirectory("memory-growth")
                let daemon = try DaemonUnderTest(in: zones)
                let (a, b) = (folder.file("\(count)-a.store"), try create("\(count)-b.store"))
                try fill(a, saves: count)
                func sync(_ command: String, _ path: String) throws -> Int {
                    try peak(
                        command, path, "--server", daemon.url.absoluteString, "--zone",
                        DaemonUnderTest.zone, token: daemon.token)
                }
                var peaks = [
                    "push": try sync("sync", a), "merge by the daemon": daemon.peakBytes,
                    "pull": try sync("sync", b), "verify": try sync("verify", b),
                    "all by the daemon": daemon.peakBytes,
                ]
                #expect(daemon.stop() == 0)
                peaks["zone verify"] = try peak(
                    "zone", "verify", DaemonUnderTest.zone, "--store",
                    "sqlite:\(zones.file("zones"))", of: "anabranchd")
                return peaks
            })
    }
}
