import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of following and cancelling migrations, and of the copy that a migration keeps.
@Suite struct `Following a migration` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    /// A version that needs a pass over the rows.
    private func nextVersion() throws -> ManagedObjectModel {
        try scenario.changedModel { declaration in
            let attributes = declaration.entities[0].attributes
            for place in attributes.indices where attributes[place].type == .integer64 {
                declaration.entities[0].attributes[place].type = .double
            }
        }
    }

    private func fill(_ count: Int) throws -> ShownState {
        let store = try scenario.open("a")
        defer { store.close() }
        try store.insertPeople(count)
        return try ShownState(store)
    }

    private var copy: String { scenario.path("a") + ".before-migration" }

    private func hasCopy() -> Bool { FileManager.default.fileExists(atPath: copy) }

    @Test func `reports rising fractions up to the whole`() throws {
        _ = try fill(5000)
        let seen = Mutex<[Double]>([])
        var options = StoreOptions()
        let progress = MigrationProgress { fraction in seen.withLock { $0.append(fraction) } }
        options.migrationProgress = progress
        _ = try scenario.open("a", model: try nextVersion(), options: options)
        let fractions = seen.withLock { $0 }
        #expect(fractions.count > 5 && fractions == fractions.sorted())
        #expect(fractions.last == 1 && progress.fractionCompleted == 1)
    }

    @Test(arguments: [0.0, 0.2, 0.4, 0.5])
    func `a cancelled migration leaves the file as it was`(fraction: Double) throws {
        let shown = try fill(3000)
        let holder = Mutex<MigrationProgress?>(nil)
        let progress = MigrationProgress { reached in
            if reached >= fraction { holder.withLock { $0 }?.cancel() }
        }
        holder.withLock { $0 = progress }
        if fraction == 0 { progress.cancel() }
        var options = StoreOptions()
        options.migrationProgress = progress
        options.keepsCopyWhenMigrating = true
        let next = try nextVersion()
        let error = storeError { _ = try scenario.open("a", model: next, options: options) }
        #expect(error?.code == .cancelled)
        #expect(progress.fractionCompleted < 1)
        #expect(!hasCopy())
        let again = try scenario.open("a")
        #expect(try ShownState(again) == shown && again.check().isValid)
    }

    @Test func `a cancelled migration that makes links leaves the file as it was`() throws {
        let store = try scenario.open("a")
        let anna = try store.insertPerson("Anna")
        let bob = try store.insertPerson("Bob", boss: anna)
        let shown = try ShownState(store)
        store.close()
        let next = try scenario.changedModel { declaration in
            let relationships = declaration.entities[0].relationships
            for place in relationships.indices where relationships[place].name == "boss" {
                declaration.entities[0].relationships[place].isToMany = true
                declaration.entities[0].relationships[place].maxCount = nil
            }
        }
        let holder = Mutex<MigrationProgress?>(nil)
        let progress = MigrationProgress { reached in
            if reached >= 0.5 { holder.withLock { $0 }?.cancel() }
        }
        holder.withLock { $0 = progress }
        var options = StoreOptions()
        options.migrationProgress = progress
        let error = storeError { _ = try scenario.open("a", model: next, options: options) }
        #expect(error?.code == .cancelled && progress.fractionCompleted == 0.5)
        let again = try scenario.open("a")
        #expect(try ShownState(again) == shown && again.check().isValid)
        again.close()
        let migrated = try scenario.open("a", model: next)
        #expect(try migrated.related(bob, "boss") == [anna])
    }

    @Test func `a migration that is cancelled while the file is copied leaves no copy`() throws {
        let shown = try fill(100)
        let progress = MigrationProgress()
        var environment = StoreEnvironment.system
        environment.freeBytes = { _ in
            progress.cancel()
            return nil
        }
        var options = StoreOptions()
        options.keepsCopyWhenMigrating = true
        options.migrationProgress = progress
        let next = try scenario.changedModel {
            $0.entities[0].attributes.append(AttributeDeclaration("x", .date))
        }
        let error = storeError {
            _ = try Store.open(
                at: scenario.path("a"), model: next, options: options, environment: environment)
        }
        #expect(error?.code == .cancelled && !hasCopy())
        #expect(try ShownState(scenario.open("a")) == shown)
    }

    @Test func `cancelling stops the statement that copies the file`() throws {
        let store = try scenario.open("a")
        let long = PropertyValue.string(String(repeating: "x", count: 1 << 20))
        for _ in 0..<64 { try store.set("name", long, of: try store.insertPerson("A")) }
        let shown = try ShownState(store)
        store.close()
        var options = StoreOptions()
        options.keepsCopyWhenMigrating = true
        let progress = MigrationProgress()
        options.migrationProgress = progress
        let folder = URL(filePath: scenario.path("a")).deletingLastPathComponent()
        // A thread of its own, because the other tests may keep all threads of tasks busy.
        Thread.detachNewThread {
            while sizeOfPartialCopy(in: folder) == 0, progress.fractionCompleted < 1 {}
            progress.cancel()
        }
        let next = try nextVersion()
        let error = storeError { _ = try scenario.open("a", model: next, options: options) }
        #expect(error?.code == .cancelled && !hasCopy())
        #expect((error?.underlying as? SQLiteError)?.code == .interrupt)
        #expect(sizeOfPartialCopy(in: folder) == 0)
        #expect(try ShownState(scenario.open("a")) == shown)
    }

    @Test func `a copy is kept until the new version has been opened`() throws {
        let shown = try fill(100)
        var options = StoreOptions()
        options.keepsCopyWhenMigrating = true
        let next = try nextVersion()
        try scenario.open("a", model: next, options: options).close()
        #expect(hasCopy())
        try FileManager.default.copyItem(atPath: copy, toPath: scenario.path("b"))
        let old = try scenario.open("b")
        #expect(try ShownState(old) == shown && old.check().isValid)
        try scenario.open("a", model: next).close()
        #expect(!hasCopy())
    }

    @Test func `the room for a copy is checked before anything is written`() throws {
        let shown = try fill(100)
        var environment = StoreEnvironment.system
        environment.freeBytes = { _ in 1000 }
        var options = StoreOptions()
        options.keepsCopyWhenMigrating = true
        let next = try nextVersion()
        let error = storeError {
            _ = try Store.open(
                at: scenario.path("a"), model: next, options: options, environment: environment)
        }
        #expect(error?.code == .diskFull && error?.message.contains("has 1000") == true)
        #expect(!hasCopy())
        #expect(try ShownState(scenario.open("a")) == shown)
    }

    @Test func `no copy is kept unless the options ask for it`() throws {
        _ = try fill(1)
        try scenario.open("a", model: try nextVersion()).close()
        #expect(!hasCopy())
    }

    @Test func `a program that opens the file with its own model leaves the copy`() throws {
        _ = try fill(1)
        var options = StoreOptions()
        options.keepsCopyWhenMigrating = true
        try scenario.open("a", model: try nextVersion(), options: options).close()
        try Store.open(at: scenario.path("a"), model: nil).close()
        #expect(hasCopy())
    }
}

/// The size of the copies that are being written in a folder, in bytes.
private func sizeOfPartialCopy(in folder: URL) -> Int {
    let files =
        (try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.fileSizeKey])) ?? []
    return files.filter { $0.pathExtension == "partial" }.reduce(0) {
        $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
    }
}
