import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Processes that migrate a store and are killed at random moments.
@Suite struct MigrationKillTests {
    private let folder: TemporaryDirectory
    private var old: String { folder.file("old.store") }
    private var newModel: URL { folder.url.appending(path: "New.xcdatamodel") }

    private static let objectCount = TestLength.current == .long ? 3000 : 1000
    /// Friends that become ordered need a pass over all rows.
    private static let models = Result {
        (old: try model(with: "note"), new: try model(with: "nickname", isOrdered: true))
    }

    private static func model(
        with attribute: String, isOrdered: Bool = false
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Attribute(attribute, .string)
                Relationship(
                    "friends", toMany: "Person", ordered: isOrdered, inverse: "friends")
            }
        }
    }

    init() throws {
        folder = try TemporaryDirectory("migration-kills")
        try Self.models.get().new.write(toXcodeModel: newModel)
        let container = PersistentContainer(
            model: try Self.models.get().old, url: URL(filePath: old))
        try container.load()
        try container.newBackgroundContext().performAndWait { context in
            var last: ManagedObject?
            for number in 0..<Self.objectCount {
                let person = try context.insert("Person")
                person["name"] = .string("person \(number)")
                person["note"] = .string("a note of \(number)")
                if let last, number.isMultiple(of: 10) {
                    try person.objects(forKey: "friends").insert(last)
                }
                last = person
            }
            try context.save()
        }
        container.coordinator.close()
    }

    private func migrate(_ store: String, keepingCopy: Bool) throws -> ChildProcess {
        let words = ["migrate", store, "--model", newModel.path]
        return try ChildProcess(
            try BuiltProducts.executable("anabranch"),
            keepingCopy ? words + ["--keep-copy"] : words)
    }

    /// Opens a store without migrating it; `nil` if it has another model.
    private func open(_ path: String, with model: ManagedObjectModel) throws -> PersistentContainer?
    {
        var description = PersistentStoreDescription(url: URL(filePath: path))
        description.options.migratesStoreAutomatically = false
        let container = PersistentContainer(model: model, storeDescription: description)
        do {
            try container.load()
            return container
        } catch let error as StoreError where error.code == .modelMismatch {
            return nil
        }
    }

    /// Checks that a store is whole, and returns true if it was migrated.
    private func isMigrated(_ path: String, hash: Digest) throws -> Bool {
        let models = try Self.models.get()
        let before = try open(path, with: models.old)
        let container = try #require(try before ?? open(path, with: models.new))
        defer { container.coordinator.close() }
        #expect(try container.coordinator.canonicalHash() == hash)
        #expect(try container.coordinator.checkFile().isValid)
        return before == nil
    }

    @Test(.long) func `a killed migration leaves the old store or the new one`() throws {
        let whole = try #require(try open(old, with: Self.models.get().old))
        let expected = try whole.coordinator.canonicalHash()
        whole.coordinator.close()
        let durations = try [false, true].map { try duration(keepingCopy: $0) }
        var migrated = 0
        let rounds = TestLength.seeds(TestLength.current == .long ? 200 : 32)
        for round in rounds {
            var random = SeededGenerator(seed: round)
            let keepsCopy = round.isMultiple(of: 2)
            let store = folder.file("killed-\(round).store")
            try FileManager.default.copyItem(atPath: old, toPath: store)
            let process = try migrate(store, keepingCopy: keepsCopy)
            let wait = durations[keepsCopy ? 1 : 0] * Double.random(in: 0...1.2, using: &random)
            usleep(UInt32(wait / .microseconds(1)))
            process.kill()
            let copy = "\(store).before-migration"
            if FileManager.default.fileExists(atPath: copy) {
                #expect(keepsCopy)
                #expect(try !isMigrated(copy, hash: expected))
            }
            if try isMigrated(store, hash: expected) { migrated += 1 }
            try checkNextMigration(of: store, hash: expected)
        }
        let count = rounds.count
        print("\(count) migrations killed: \(migrated) new stores, \(count - migrated) old ones")
    }

    private func duration(keepingCopy: Bool) throws -> Duration {
        let store = folder.file("whole-\(keepingCopy).store")
        try FileManager.default.copyItem(atPath: old, toPath: store)
        let start = ContinuousClock.now
        let process = try migrate(store, keepingCopy: keepingCopy)
        #expect(process.waitWatchingMemory().status == 0)
        return ContinuousClock.now - start
    }

    /// Migrates in this process what a killed one has left, and checks that nothing else is left.
    private func checkNextMigration(of store: String, hash: Digest) throws {
        for keepsCopy in [true, false] {
            var description = PersistentStoreDescription(url: URL(filePath: store))
            description.options.keepsCopyWhenMigrating = keepsCopy
            let container = PersistentContainer(
                model: try Self.models.get().new, storeDescription: description)
            try container.load()
            container.coordinator.close()
        }
        #expect(try isMigrated(store, hash: hash))
        let name = URL(filePath: store).lastPathComponent
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix(name) && $0 != name }
        #expect(left.isEmpty, "\(left)")
        try FileManager.default.removeItem(atPath: store)
    }
}
