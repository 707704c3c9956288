import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of backups, restores and moves of a store, with clients that save meanwhile.
@Suite(.waiting) struct BackupTests {
    /// The clients and the daemon, and the folder of copies.
    private final class World {
        let folder: TemporaryDirectory
        let daemon: DaemonUnderTest
        let clients: [PartitionedClient]

        init() throws {
            folder = try TemporaryDirectory("backup")
            daemon = try DaemonUnderTest(in: folder)
            var generator = SeededGenerator(seed: 5)
            clients = try (0..<3).map { [daemon, folder] in
                try PartitionedClient($0, of: daemon, in: folder, seed: generator.next())
            }
        }

        deinit {
            for client in clients {
                client.kill()
                client.link.close()
            }
            daemon.kill()
        }

        func run(_ words: String...) throws -> String {
            try ChildProcess.output(of: BuiltProducts.executable("anabranchd"), words)
        }

        /// Waits until the clients have made this number of further saves.
        func waitForSaves(_ count: Int) throws {
            let start = try clients.reduce(0) { $0 + (try $1.savedOrigins().count) }
            let deadline = Date(timeIntervalSinceNow: 60)
            while try clients.reduce(0, { $0 + (try $1.savedOrigins().count) }) < start + count {
                guard Date() < deadline else {
                    throw FailedProcess(description: "The clients do not save.")
                }
                usleep(20_000)
            }
        }

        /// Ends the saves, waits until all clients have the zone's log, and compares.
        func expectNothingLost() throws {
            try Data().write(to: URL(filePath: folder.file("stop")))
            let deadline = Date(timeIntervalSinceNow: 60)
            var statuses = try clients.map { try $0.status() }
            while Date() < deadline,
                !statuses.allSatisfy(\.isCaughtUp) || Set(statuses.map(\.position)).count > 1
            {
                usleep(100_000)
                statuses = try clients.map { try $0.status() }
            }
            let isCaughtUp = statuses.allSatisfy(\.isCaughtUp)
            #expect(isCaughtUp, "\(statuses.map(\.text))")
            for client in clients { client.kill() }
            let states = try clients.map { try $0.client.state() }
            #expect(Set(states.map(\.hash)).count == 1)
            let saved = try clients.reduce(into: Set()) { $0.formUnion(try $1.savedOrigins()) }
            #expect(!saved.isEmpty)
            for state in states {
                let held = state.origins.map(\.description)
                #expect(saved.subtracting(held).isEmpty)
            }
            #expect(daemon.stop() == 0)
            #expect(try daemon.hash().contains("\(states[0].hash)"))
        }

        /// The number of requests for snapshots: a client that begins from zero takes one.
        var snapshotRequests: Int {
            let lines = (try? String(contentsOf: daemon.log, encoding: .utf8)) ?? ""
            return lines.components(separatedBy: "/snapshot").count - 1
        }
    }

    @Test func `a backup under load is restored, and no client begins from zero`() throws {
        let world = try World()
        let backup = world.folder.file("copy")
        let store = world.daemon.store
        try world.waitForSaves(30)
        #expect(try world.run("backup", backup, "--store", store) == "notes  whole")
        try world.waitForSaves(30)
        let second = try world.run("backup", backup, "--store", store)
        #expect(second.hasPrefix("notes  ") && second.contains("entr"), "\(second)")
        try world.waitForSaves(30)
        world.daemon.kill()
        let restored = "sqlite:\(world.folder.file("restored"))"
        #expect(try world.run("restore", backup, "--store", restored) == "notes  whole")
        try world.daemon.start(at: restored)
        try world.waitForSaves(30)
        try world.expectNothingLost()
        #expect(world.snapshotRequests == 0)
        #expect(try world.run("zone", "show", "notes", "--store", restored).contains("before"))
    }

    @Test(.needsPostgreSQL)
    func `zones move to a database and back while clients wait for seconds`() throws {
        let world = try World()
        let cluster = try PostgreSQLCluster()
        defer { cluster.stop() }
        let database = try cluster.makeDatabase()
        let first = world.daemon.store
        try world.waitForSaves(30)
        _ = try world.run("migrate-store", "--from", first, "--to", database)
        try world.waitForSaves(30)
        #expect(throws: FailedProcess.self) {
            try world.run("migrate-store", "--from", first, "--to", database, "--final")
        }
        world.daemon.kill()
        _ = try world.run("migrate-store", "--from", first, "--to", database, "--final")
        #expect(throws: (any Error).self) { try world.daemon.start(at: first) }
        try world.daemon.start(at: database)
        try world.waitForSaves(30)
        #expect(throws: FailedProcess.self) {
            try world.run(
                "migrate-store", "--from", database, "--to",
                "sqlite:\(world.folder.file("back"))", "--final")
        }
        #expect(world.daemon.stop() == 0)
        let back = "sqlite:\(world.folder.file("back"))"
        _ = try world.run("migrate-store", "--from", database, "--to", back, "--final")
        try world.daemon.start(at: back)
        try world.waitForSaves(30)
        try world.expectNothingLost()
        #expect(world.snapshotRequests == 0)
        let shown = try world.run("zone", "show", "notes", "--store", back)
        #expect(!shown.contains("before"))
    }
}
