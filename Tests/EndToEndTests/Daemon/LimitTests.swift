import Anabranch
import AnabranchSync
import Foundation
import TestSupport
import Testing

/// Tests of the limits of a daemon, with a client that meets them.
@Suite(.waiting) struct LimitTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("limits") }

    /// A store that sends its saves to a daemon.
    private final class Client {
        let container: PersistentContainer
        let engine: SyncEngine

        init(_ name: String, of daemon: DaemonUnderTest, in folder: TemporaryDirectory) throws {
            container = PersistentContainer(
                model: try NotesModel.make(), url: URL(filePath: folder.file(name)))
            try container.load()
            engine = try SyncEngine(
                container: container, server: daemon.url, zone: DaemonUnderTest.zone,
                token: daemon.token)
        }

        func insert(_ count: Int) throws {
            try container.newBackgroundContext().performAndWait { context in
                for number in 0..<count {
                    let note = try context.insert("Note")
                    note["pair"] = .string("pair")
                    note["text"] = .string("\(number)")
                }
                try context.save()
            }
        }

        func delete(_ count: Int) throws {
            try container.newBackgroundContext().performAndWait { context in
                let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
                for note in notes.prefix(count) { context.delete(note) }
                try context.save()
            }
        }

        var count: Int {
            get throws {
                try container.newBackgroundContext().performAndWait { context in
                    try context.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
                }
            }
        }
    }

    private func limit(_ words: String..., of daemon: DaemonUnderTest) throws -> String {
        try ChildProcess.output(
            of: BuiltProducts.executable("anabranchd"),
            ["zone", "limit", DaemonUnderTest.zone, "--store", daemon.store] + words)
    }

    @Test func `a full zone takes what waits when there is room`() async throws {
        let daemon = try DaemonUnderTest(in: folder, options: ["--zone-replicas", "9"])
        defer { daemon.kill() }
        #expect(try limit("--records", "3", of: daemon).contains("records      0 of 3"))
        let client = try Client("a.anabranch", of: daemon, in: folder)
        try client.insert(2)
        #expect(try await client.engine.synchronize().isCaughtUp)
        try client.insert(2)
        #expect(try await client.engine.synchronize().blockedBy?.code == .quotaExceeded)
        let status = try SyncStatus(of: client.container.coordinator)
        #expect(status.blockedBy?.details["quota"] == "records")
        #expect(status.quotas.map(\.name) == ["records", "replicas"])
        #expect(status.quotas.first?.limit == 3)
        // A deletion on the same device makes room for the save before it.
        try client.delete(1)
        #expect(try await client.engine.synchronize().isCaughtUp)
        #expect(try limit(of: daemon).contains("records      3 of 3"))
        try client.insert(4)
        #expect(try await client.engine.synchronize().blockedBy?.code == .quotaExceeded)
        #expect(try limit("--records", "none", of: daemon).contains("7 of") == false)
        #expect(try await client.engine.synchronize().isCaughtUp)
        let other = try Client("b.anabranch", of: daemon, in: folder)
        #expect(try await other.engine.synchronize().isCaughtUp)
        #expect(try other.count == 7)
        #expect(try limit(of: daemon).contains("records      7 of any number"))
        client.container.coordinator.close()
        other.container.coordinator.close()
    }

    @Test func `a client that asks too often waits as long as the server says`() async throws {
        let daemon = try DaemonUnderTest(in: folder, options: ["--requests-per-token", "6"])
        defer { daemon.kill() }
        let client = try Client("a.anabranch", of: daemon, in: folder)
        var log: String {
            get throws { try String(contentsOf: daemon.log, encoding: .utf8) }
        }
        // A request more is allowed every ten seconds, so the first exchanges use up the burst.
        for _ in 0..<10 where try !log.contains("\"status\":429") {
            try client.insert(1)
            #expect(try await client.engine.synchronize().isCaughtUp)
        }
        #expect(try log.contains("\"error\":\"too-many-requests\""))
        #expect(try log.contains("\"status\":429"))
        client.container.coordinator.close()
    }
}
