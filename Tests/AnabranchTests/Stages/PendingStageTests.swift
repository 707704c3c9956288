import Anabranch
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of custom stages that fail, are interrupted, or run in several processes.
@Suite struct `A custom stage` {
    let app: StagedApp

    init() throws { app = try StagedApp() }

    private struct Failure: Error {}

    private func failing() -> StagedMigration {
        StagedApp.stages { context, former in
            try StagedApp.complete(context, former)
            try context.save()
            throw Failure()
        }
    }

    @Test func `that fails saves nothing, and runs again at the next opening`() throws {
        try app.fill()
        for _ in 0..<2 {
            let error = stageError { _ = try app.open("a", version: 4, failing()) }
            #expect(error?.code == .stageFailed && error?.underlying is Failure)
            #expect(error?.message.contains(StagedApp.label) == true)
        }
        let reader = PersistentContainer(url: app.url())
        try reader.load()
        #expect(reader.coordinator.pendingMigrationStage == StagedApp.label)
        #expect(reader.model.hasVersion(of: try StagedApp.model(3)))
        #expect(try StagedApp.authors(reader) == [""])
        #expect(try StagedApp.people(reader).allSatisfy { !$0.contains("Berg") })
        reader.coordinator.close()
        try StagedApp.expectMigrated(try app.open())
    }

    @Test func `that fails before the migration leaves the store as it was`() throws {
        try app.fill(version: 2)
        let error = stageError {
            _ = try app.open(
                "a", version: 4,
                StagedApp.stages(willMigrate: { context in
                    for person in try context.fetch(
                        FetchRequest<ManagedObject>(entityName: "Person"))
                    {
                        context.delete(person)
                    }
                    try context.save()
                    throw Failure()
                }))
        }
        #expect(error?.code == .stageFailed && error?.underlying is Failure)
        let reader = PersistentContainer(url: app.url())
        try reader.load()
        #expect(reader.model.hasVersion(of: try StagedApp.model(2)))
        #expect(try StagedApp.authors(reader) == [""])
        reader.coordinator.close()
        try StagedApp.expectMigrated(try app.open())
    }

    @Test func `that waits is not passed over by a program without it`() throws {
        try app.fill()
        #expect(stageError { _ = try app.open("a", version: 4, failing()) } != nil)
        for version in [3, 4] {
            let error = stageError { _ = try app.open("a", version: version, nil) }
            #expect(error?.code == .stagePending)
            #expect(error?.message.contains(StagedApp.label) == true)
        }
        let v = (1...4).map(StagedApp.version)
        let removed = stageError {
            _ = try app.open("a", version: 4, .init([.lightweight(v)]))
        }
        #expect((removed?.underlying as? MigrationPlanError)?.code == .unknownStage)
        let reader = PersistentContainer(url: app.url())
        try reader.load()
        let write = stageError {
            try reader.newBackgroundContext().performAndWait { context in
                _ = try context.insert("Person")
                try context.save()
            }
        }
        #expect(write?.code == .stagePending)
        reader.coordinator.close()
        try StagedApp.expectMigrated(try app.open())
    }

    @Test func `is completed once by two programs that open the file at the same time`() throws {
        try app.fill()
        let (app, url) = (app, app.url())
        let runs = Mutex(0)
        let container = try app.open(
            "a", version: 4,
            StagedApp.stages { context, former in
                guard
                    runs.withLock({
                        $0 += 1
                        return $0
                    }) == 1
                else {
                    return try StagedApp.complete(context, former)
                }
                let plain = stageError { _ = try app.open("a", version: 4, nil) }
                #expect(plain?.code == .stagePending)
                // Another program completes the whole migration meanwhile.
                var description = PersistentStoreDescription(url: url)
                description.stagedMigration = StagedApp.stages()
                let other = PersistentContainer(
                    model: try StagedApp.model(4), storeDescription: description)
                try other.load()
                other.coordinator.close()
                try StagedApp.complete(context, former)
            })
        #expect(runs.withLock { $0 } == 1)
        try StagedApp.expectMigrated(container)
    }

    @Test func `that changes nothing is completed without a save`() throws {
        try app.fill()
        let container = try app.open("a", version: 4, StagedApp.stages { _, _ in })
        #expect(try StagedApp.authors(container) == [""])
        #expect(container.coordinator.pendingMigrationStage == nil)
        container.coordinator.close()
        try app.open("a", version: 4, nil).coordinator.close()
    }

    @Test func `without code after the migration leaves nothing to wait for`() throws {
        try app.fill()
        try app.open("a", version: 4, StagedApp.stages(didMigrate: nil)).coordinator.close()
        try app.open("a", version: 4, nil).coordinator.close()
    }

    // MARK: - Former records

    @Test func `reads former records by their names, and refuses others`() throws {
        try app.fill()
        _ = try app.open(
            "a", version: 4,
            StagedApp.stages { context, former in
                #expect(former.model.hasVersion(of: try StagedApp.model(2)))
                let addresses = try former.records(ofEntityNamed: "Address")
                #expect(addresses.count == 1)
                let street: String? = try addresses[0].value(forKey: "street")
                #expect(street == "Main Street")
                #expect(try former.records(ofEntityNamed: "Person").count == 2)
                let person = try #require(
                    try former.records(ofEntityNamed: "Person").first { record in
                        try record.value(forKey: "name", as: String.self) == "Anna Berg"
                    })
                #expect(try person.value(forKey: "years", as: Int.self) == 30)
                #expect(try person.target(forKey: "address") == addresses.first?.id)
                let nickname: String? = try person.value(forKey: "nickname")
                #expect(nickname == nil)
                let new = try context.insert("Person")
                #expect(try former.record(of: new) == nil)
                let none: String? = try former.value(forKey: "name", of: new)
                #expect(none == nil)
                context.delete(new)
                func code(_ body: () throws -> Void) -> PropertyError.Code? {
                    let error = #expect(throws: PropertyError.self, performing: body)
                    return error?.code
                }
                #expect(code { _ = try former.records(ofEntityNamed: "Car") } == .unknownEntity)
                #expect(
                    code { let _: PropertyValue = try person.value(forKey: "givenName") }
                        == .unknownProperty)
                #expect(
                    code { let _: PropertyValue = try person.value(forKey: "address") }
                        == .wrongKind)
                #expect(code { let _: Int = try person.value(forKey: "name") } == .wrongType)
                #expect(code { _ = try person.target(forKey: "name") } == .wrongKind)
                #expect(code { _ = try addresses[0].targets(forKey: "residents") } == .wrongKind)
            })
    }

    // MARK: - Killed processes

    /// Opens a store of the parent process, and dies in its custom stage.
    private static func migrateAndDie(
        _ name: String, willMigrate: StagedApp.Preparation? = nil,
        didMigrate: @escaping StagedApp.Completion = StagedApp.complete,
        at fraction: Double = 2
    ) throws {
        var description = PersistentStoreDescription(url: killedStore(name, process: getppid()))
        description.stagedMigration = StagedApp.stages(
            didMigrate: didMigrate, willMigrate: willMigrate)
        description.options.migrationProgress = MigrationProgress { reached in
            if reached >= fraction { die() }
        }
        try PersistentContainer(
            model: StagedApp.model(4), storeDescription: description
        ).load()
    }

    private static func die() { kill(getpid(), SIGKILL) }

    /// The store that a process gives to the children that it starts.
    private static func killedStore(_ name: String, process: pid_t) -> URL {
        FileManager.default.temporaryDirectory
            .appending(path: "anabranch-stage-\(process)-\(name).store")
    }

    /// - Parameter runs: How often the stage runs when the store is opened again.
    private func expectRecovery(_ name: String, runs expected: Int) throws {
        let killed = Self.killedStore(name, process: getpid())
        for suffix in ["", "-wal"] {
            let path = killed.path + suffix
            guard FileManager.default.fileExists(atPath: path) else { continue }
            try FileManager.default.copyItem(atPath: path, toPath: app.url(name).path + suffix)
        }
        let runs = Mutex(0)
        let container = try app.open(
            name, version: 4,
            StagedApp.stages { context, former in
                runs.withLock { $0 += 1 }
                try StagedApp.complete(context, former)
            })
        #expect(runs.withLock { $0 } == expected)
        try StagedApp.expectMigrated(container)
    }

    private func fillKilled(_ name: String) throws {
        try app.fill(name)
        let killed = Self.killedStore(name, process: getpid())
        try? FileManager.default.removeItem(at: killed)
        try FileManager.default.copyItem(at: app.url(name), to: killed)
        try FileManager.default.removeItem(at: app.url(name))
    }

    private func removeKilled(_ name: String) {
        let path = Self.killedStore(name, process: getpid()).path
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    @Test func `runs again after a kill before its changes are saved`() async throws {
        try fillKilled("unsaved")
        defer { removeKilled("unsaved") }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            try Self.migrateAndDie(
                "unsaved",
                didMigrate: { context, former in
                    try StagedApp.complete(context, former)
                    try context.save()
                    Self.die()
                })
        }
        try expectRecovery("unsaved", runs: 1)
    }

    @Test func `runs again after a kill before the migration`() async throws {
        try fillKilled("before")
        defer { removeKilled("before") }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            try Self.migrateAndDie("before", willMigrate: { _ in Self.die() })
        }
        try expectRecovery("before", runs: 1)
    }

    @Test func `does not run again after a kill when its changes are saved`() async throws {
        try fillKilled("saved")
        defer { removeKilled("saved") }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            try Self.migrateAndDie("saved", at: 0.75)
        }
        try expectRecovery("saved", runs: 0)
    }
}
