import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Processes that migrate a store and are killed at random moments.
@Suite(.waiting) struct MigrationKillTests {
    /// What a migration does to the file.
    enum Kind: CaseIterable {
        /// It writes all rows, because friends become ordered.
        case pass
        /// It changes only the tables.
        case alteration
    }

    private let folder: TemporaryDirectory
    private var old: String { folder.file("old.store") }

    private func file(of kind: Kind) -> URL { folder.url.appending(path: "\(kind).xcdatamodel") }

    private static let objectCount = TestLength.current == .long ? 3000 : 1000
    private static let oldModel = Result { try model(with: "note") }
    private static let newModels = Result {
        [
            Kind.pass: try model(with: "nickname", isOrdered: true),
            .alteration: try model(with: "nickname"),
        ]
    }

    private static func newModel(_ kind: Kind) throws -> ManagedObjectModel {
        try #require(try newModels.get()[kind])
    }

    private static func model(
        with attribute: String, isOrdered: Bool = false
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration(attribute, .string)
                RelationshipDeclaration(
                    "friends", toMany: "Person", ordered: isOrdered, inverse: "friends")
            }
        }
    }

    init() throws {
        folder = try TemporaryDirectory("migration-kills")
        for kind in Kind.allCases { try Self.newModel(kind).write(toXcodeModel: file(of: kind)) }
        let container = PersistentContainer(
            model: try Self.oldModel.get(), url: URL(filePath: old))
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

    private func migrate(
        _ store: String, by kind: Kind, keepingCopy: Bool
    ) throws -> ChildProcess {
        let words = ["migrate", store, "--model", file(of: kind).path]
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
    private func isMigrated(_ path: String, by kind: Kind, hash: String) throws -> Bool {
        let before = try open(path, with: Self.oldModel.get())
        let container = try #require(try before ?? open(path, with: Self.newModel(kind)))
        defer { container.coordinator.close() }
        #expect(try container.coordinator.canonicalHash() == hash)
        #expect(try container.coordinator.checkFile().isValid)
        return before == nil
    }

    @Test(.long, arguments: Kind.allCases)
    func `a killed migration leaves the old store or the new one`(_ kind: Kind) throws {
        let whole = try #require(try open(old, with: Self.oldModel.get()))
        let expected = try whole.coordinator.canonicalHash()
        whole.coordinator.close()
        let durations = try [false, true].map { try duration(of: kind, keepingCopy: $0) }
        var migrated = 0
        let rounds = TestLength.seeds(TestLength.current == .long ? 200 : 16)
        for round in rounds {
            var random = SeededGenerator(seed: round)
            let keepsCopy = round.isMultiple(of: 2)
            let store = folder.file("killed-\(round).store")
            try FileManager.default.copyItem(atPath: old, toPath: store)
            let process = try migrate(store, by: kind, keepingCopy: keepsCopy)
            let wait = durations[keepsCopy ? 1 : 0] * Double.random(in: 0...1.2, using: &random)
            usleep(UInt32(wait / .microseconds(1)))
            process.kill()
            let copy = "\(store).before-migration"
            if FileManager.default.fileExists(atPath: copy) {
                #expect(keepsCopy)
                #expect(try !isMigrated(copy, by: kind, hash: expected))
            }
            if try isMigrated(store, by: kind, hash: expected) { migrated += 1 }
            try checkNextMigration(of: store, by: kind, hash: expected)
        }
        let count = rounds.count
        print(
            "\(count) migrations killed (\(kind)): \(migrated) new stores, "
                + "\(count - migrated) old ones")
    }

    private func duration(of kind: Kind, keepingCopy: Bool) throws -> Duration {
        let store = folder.file("whole-\(keepingCopy).store")
        try FileManager.default.copyItem(atPath: old, toPath: store)
        let start = ContinuousClock.now
        let process = try migrate(store, by: kind, keepingCopy: keepingCopy)
        #expect(process.waitWatchingMemory().status == 0)
        return ContinuousClock.now - start
    }

    /// Migrates in this process what a killed one has left, and checks that nothing else is left.
    private func checkNextMigration(of store: String, by kind: Kind, hash: String) throws {
        for keepsCopy in [true, false] {
            var description = PersistentStoreDescription(url: URL(filePath: store))
            description.options.keepsCopyWhenMigrating = keepsCopy
            let container = PersistentContainer(
                model: try Self.newModel(kind), storeDescription: description)
            try container.load()
            container.coordinator.close()
        }
        #expect(try isMigrated(store, by: kind, hash: hash))
        let name = URL(filePath: store).lastPathComponent
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix(name) && $0 != name }
        #expect(left.isEmpty, "\(left)")
        try FileManager.default.removeItem(atPath: store)
    }
}
