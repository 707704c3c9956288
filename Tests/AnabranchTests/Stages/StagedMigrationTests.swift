import Anabranch
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct `A staged migration` {
    let app: StagedApp

    init() throws { app = try StagedApp() }

    @Test(arguments: 1...4)
    func `leads from every version to the last`(version: Int) throws {
        try app.fill(version: version)
        let container = try app.open()
        #expect(container.model.hash == (try StagedApp.model(4)).hash)
        #expect(try StagedApp.people(container) == StagedApp.expectedPeople())
        let authors = try StagedApp.authors(container)
        #expect(authors == (version < 3 ? ["", "migration"] : [""]))
        #expect(try container.coordinator.checkFile().isValid)
        container.coordinator.close()
        let again = try app.open()
        #expect(try StagedApp.authors(again) == authors)
    }

    @Test func `leads a store in memory to the last version`() throws {
        let name = UUID().uuidString
        let first = PersistentContainer(
            model: try StagedApp.model(1), storeDescription: .inMemory(named: name))
        try first.load()
        try StagedApp.fill(first, version: 1)
        var description = PersistentStoreDescription.inMemory(named: name)
        description.stagedMigration = StagedApp.stages()
        let second = PersistentContainer(
            model: try StagedApp.model(4), storeDescription: description)
        try second.load()
        try StagedApp.expectMigrated(second)
    }

    @Test(.timeLimit(.minutes(1)))
    func `takes over a model that differs from the last version in a default only`() throws {
        try app.fill(version: 4)
        var declaration = try StagedApp.model(4).declaration
        let years = try #require(
            declaration.entities[0].attributes.firstIndex { $0.name == "years" })
        declaration.entities[0].attributes[years].defaultValue = 7
        let model = try ManagedObjectModel(declaration)
        var description = PersistentStoreDescription(url: app.url())
        description.stagedMigration = StagedApp.stages()
        let container = PersistentContainer(model: model, storeDescription: description)
        try container.load()
        #expect(container.coordinator.model.hash == model.hash)
        #expect(try StagedApp.people(container) == StagedApp.expectedPeople())
        #expect(try StagedApp.authors(container) == [""])
    }

    @Test func `records its stage as one save with a name`() throws {
        try app.fill()
        let container = try app.open()
        let save = try #require(try container.coordinator.history().last)
        #expect(save.author == StagedMigration.Stage.author)
        #expect(save.contextName == StagedApp.label)
        #expect(save.changes.count == 2)
        #expect(save.changes.allSatisfy { $0.kind == .update && !$0.updatedProperties.isEmpty })
    }

    @Test func `runs the code before a stage in the former version, and saves its changes`() throws
    {
        try app.fill()
        let stages = StagedApp.stages(willMigrate: { context in
            #expect(context.model.entity(named: "Address") != nil)
            let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            for person in people where person["name"] == .string("Bob") {
                #expect(person["years"] == .null)
                try person.setValue("Bob Stone", forKey: "name")
            }
            try context.save()
        })
        let container = try app.open("a", version: 4, stages)
        #expect(try StagedApp.authors(container) == ["", "migration", "migration"])
        #expect(try StagedApp.people(container).contains { $0.contains("Stone") })
    }

    // MARK: - Refusals

    private func expectRefusal(
        _ code: MigrationPlanError.Code, version: Int = 4, _ stages: StagedMigration
    ) throws {
        let before = try Data(contentsOf: app.url())
        let error = stageError { _ = try app.open("a", version: version, stages) }
        #expect(error?.code == .unusableStages)
        #expect((error?.underlying as? MigrationPlanError)?.code == code, "\(error as Any)")
        #expect(error?.message.contains(app.url().path) == true)
        #expect(try Data(contentsOf: app.url()) == before)
    }

    @Test func `refuses stages that don't lead to the model, and leaves the store`() throws {
        struct Missing: Error {}
        try app.fill()
        let v = (1...4).map(StagedApp.version)
        try expectRefusal(.unknownVersion, .init([.lightweight([v[1], v[2], v[3]])]))
        try expectRefusal(.presentVersionNotLast, .init([.lightweight([v[0], v[1]])]))
        try expectRefusal(.presentVersionNotLast, version: 3, StagedApp.stages())
        try expectRefusal(.backward, .init([.lightweight([v[0], v[1], v[0], v[3]])]))
        let lost = ManagedObjectModelReference("Lost") { throw Missing() }
        try expectRefusal(.modelNotFound, .init([.lightweight([v[0], lost, v[3]])]))
    }

    @Test func `refuses a later version's store`() throws {
        try app.fill(version: 4)
        try expectRefusal(
            .unknownVersion, version: 2,
            .init([.lightweight([StagedApp.version(1), StagedApp.version(2)])]))
    }

    @Test func `refuses a step that can't be inferred before it takes any`() throws {
        try app.fill()
        let before = try Data(contentsOf: app.url())
        let wrong = try ManagedObjectModel {
            EntityDeclaration("Person") { AttributeDeclaration("nickname", .date) }
        }
        var description = PersistentStoreDescription(url: app.url())
        description.stagedMigration = StagedMigration([
            .lightweight([StagedApp.version(1), StagedApp.version(2), .init("V3", wrong)])
        ])
        let container = PersistentContainer(model: wrong, storeDescription: description)
        let error = stageError { try container.load() }
        #expect(error?.code == .migrationNotInferred && error?.property == "nickname")
        #expect(error?.message.contains("to version 'V3'") == true)
        #expect(try Data(contentsOf: app.url()) == before)
    }

    @Test func `reads no model unless a store has to be migrated`() throws {
        let reads = Mutex(0)
        let counted = ManagedObjectModelReference("V1") {
            reads.withLock { $0 += 1 }
            return try StagedApp.model(1)
        }
        let stages = StagedMigration([.lightweight([counted, StagedApp.version(2)])])
        try app.open("a", version: 2, stages).coordinator.close()
        try app.open("a", version: 2, stages).coordinator.close()
        #expect(reads.withLock { $0 } == 0)
        try app.fill("b")
        try app.open("b", version: 2, stages).coordinator.close()
        #expect(reads.withLock { $0 } == 1)
    }

    // MARK: - Progress, cancellation, the copy

    @Test func `reports rising fractions over all steps`() throws {
        try app.fill()
        let seen = Mutex<[Double]>([])
        _ = try app.open("a", version: 4, StagedApp.stages()) {
            $0.options.migrationProgress = MigrationProgress { fraction in
                seen.withLock { $0.append(fraction) }
            }
        }
        let fractions = seen.withLock { $0 }
        #expect(fractions == fractions.sorted() && fractions.last == 1)
        #expect(fractions.contains(0.25) && fractions.contains(0.5) && fractions.contains(0.75))
    }

    @Test func `keeps one copy, of the file before the first step`() throws {
        try app.fill()
        let copy = app.url().path + ".before-migration"
        func keep(_ description: inout PersistentStoreDescription) {
            description.options.keepsCopyWhenMigrating = true
        }
        let holder = Mutex<MigrationProgress?>(nil)
        let progress = MigrationProgress { fraction in
            if fraction >= 0.25 { holder.withLock { $0 }?.cancel() }
        }
        holder.withLock { $0 = progress }
        let error = stageError {
            _ = try app.open("a", version: 4, StagedApp.stages()) {
                keep(&$0)
                $0.options.migrationProgress = progress
            }
        }
        #expect(error?.code == .cancelled)
        let between = PersistentContainer(url: app.url())
        try between.load()
        #expect(between.model.hasVersion(of: try StagedApp.model(2)))
        between.coordinator.close()
        try app.open("a", version: 4, StagedApp.stages(), keep).coordinator.close()
        let kept = PersistentContainer(url: URL(filePath: copy))
        try kept.load()
        #expect(kept.model.hasVersion(of: try StagedApp.model(1)))
        kept.coordinator.close()
        try StagedApp.expectMigrated(try app.open())
        #expect(!FileManager.default.fileExists(atPath: copy))
    }
}
