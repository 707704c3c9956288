import Anabranch
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of rejected saves that an app receives and redoes.
struct RedoneSaveTests {
    private let scenario: EngineScenario
    private let isForbidding = ForbiddingRule()
    private let here: PersistentContainer
    private let there: PersistentContainer

    /// Rejects saves that insert a team, while it is switched on.
    private final class ForbiddingRule: Sendable {
        let isOn = Mutex(true)

        func rejection(of set: ChangeSet) throws -> SaveRejection? {
            let insertsTeam = try set.decodedPayload().blocks.contains { block in
                if case .insert(let rows) = block { rows.entity == "Team" } else { false }
            }
            return insertsTeam && isOn.withLock { $0 }
                ? SaveRejection(.notAllowed, "No teams.") : nil
        }
    }

    init() throws {
        let rule = isForbidding
        let scenario = try EngineScenario(
            validation: PushValidation { set, _ in try rule.rejection(of: set) })
        let model = try ManagedObjectModel {
            EntityDeclaration("Team") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("wins", .integer64, mergeRule: .counter)
                RelationshipDeclaration("members", toMany: "Person", inverse: "team")
                RelationshipDeclaration("fans", toMany: "Person", inverse: "favourites")
            }
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("team", to: "Team", inverse: "members")
                RelationshipDeclaration("favourites", toMany: "Team", inverse: "fans")
            }
        }
        func open(_ name: String) throws -> PersistentContainer {
            let container = PersistentContainer(
                model: model, url: URL(fileURLWithPath: scenario.folder.file(name)))
            try container.load()
            return container
        }
        self.scenario = scenario
        here = try open("a.db")
        there = try open("b.db")
    }

    private func edit(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try here.newBackgroundContext().performAndWait { context in
            try body(context)
            try context.save()
        }
    }

    private static func object(
        _ entity: String, _ name: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject? {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entity)).first {
            try $0.value(forKey: "name") == .string(name)
        }
    }

    /// Inserts a person, then a team with her in it, then makes later changes to both.
    private func makeTeam() throws {
        try edit { context in
            try context.insert("Person").setValue("Ada", forKey: "name")
            try context.insert("Person").setValue("Bob", forKey: "name")
        }
        try edit { context in
            let team = try context.insert("Team")
            try team.setValue("Reds", forKey: "name")
            try team.setValue(1, forKey: "wins")
            let ada = try #require(try Self.object("Person", "Ada", context))
            try team.objects(forKey: "fans").insert(ada)
        }
        try edit { context in
            let team = try #require(try Self.object("Team", "Reds", context))
            let bob = try #require(try Self.object("Person", "Bob", context))
            try team.setValue(3, forKey: "wins")
            try team.objects(forKey: "fans").insert(bob)
            try bob.setObject(team, forKey: "team")
        }
    }

    @Test func `contexts show what is undone, and the app is notified`() async throws {
        try makeTeam()
        let context = here.newBackgroundContext()
        let isThere = try context.performAndWait { try Self.object("Team", "Reds", $0) != nil }
        #expect(isThere)
        var rejections = here.coordinator.rejections().makeAsyncIterator()
        let engine = try scenario.engine(here)
        let outcome = try await engine.synchronize()
        #expect(outcome.rejectedSaves == 1 && outcome.isCaughtUp)
        let ids = try #require(await rejections.next())
        #expect(try here.coordinator.rejectedSaves().map(\.id) == ids)
        #expect(try here.coordinator.rejectedSaveCount() == 1)
        #expect(try SyncStatus(of: here).rejectedCount == 1)
        try context.performAndWait { context in
            #expect(try Self.object("Team", "Reds", context) == nil)
            let bob = try #require(try Self.object("Person", "Bob", context))
            #expect(try bob.object(forKey: "team") == nil)
            #expect(try bob.objects(forKey: "favourites").isEmpty)
        }
        try await scenario.engine(there).synchronize()
        try scenario.expectConverged([here.coordinator.store, there.coordinator.store])
    }

    @Test func `a redone save has new records, and references to the old ones point to them`()
        async throws
    {
        try makeTeam()
        try await scenario.engine(here).synchronize()
        isForbidding.isOn.withLock { $0 = false }
        let rejected = try #require(try here.coordinator.rejectedSaves().first)
        #expect(rejected.consequences.count == 1)
        let old = try #require(
            try rejected.changeSet.decodedPayload().blocks.flatMap(\.insertedRecords).first)
        let redone = try here.newBackgroundContext().performAndWait { context in
            let redone = try context.reapply(rejected)
            try context.save()
            return redone
        }
        #expect(redone.omissions.isEmpty && redone.insertedIDs.count == 1)
        #expect(try redone.insertedIDs[old]?.recordID != old)
        #expect(try here.coordinator.discardRejectedSaves([rejected.id]) == 1)
        #expect(try await scenario.engine(here).synchronize().rejectedSaves == 0)
        try await scenario.engine(there).synchronize()
        try scenario.expectConverged([here.coordinator.store, there.coordinator.store])
        for container in [here, there] {
            try container.newBackgroundContext().performAndWait { context in
                let team = try #require(try Self.object("Team", "Reds", context))
                #expect(try team.value(forKey: "wins") == .integer(3))
                let members = try team.objects(forKey: "members")
                #expect(try members.map { try $0.value(forKey: "name") } == [.string("Bob")])
                #expect(try team.objects(forKey: "fans").count == 2)
            }
        }
    }

    @Test func `changes of deleted objects are left out of a redone save and named`() async throws {
        try makeTeam()
        try await scenario.engine(here).synchronize()
        isForbidding.isOn.withLock { $0 = false }
        try edit { context in
            context.delete(try #require(try Self.object("Person", "Bob", context)))
        }
        let rejected = try #require(try here.coordinator.rejectedSaves().first)
        let redone = try here.newBackgroundContext().performAndWait { context in
            let redone = try context.reapply(rejected)
            try context.save()
            return redone
        }
        #expect(redone.omissions.map(\.entity) == ["Person"])
        #expect(redone.omissions.map(\.property) == ["favourites"])
        #expect(try await scenario.engine(here).synchronize().isCaughtUp)
        try scenario.expectConverged([here.coordinator.store])
    }
}
