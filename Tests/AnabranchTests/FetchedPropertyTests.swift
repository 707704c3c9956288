import Anabranch
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@Suite struct `Fetched properties` {
    private let container: PersistentContainer
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory("fetched")
        container = PersistentContainer(
            model: try Self.model(), url: URL(filePath: directory.file("a.store")))
        try container.load()
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(configurations: [
            ModelConfiguration("Local", "Draft", isSynced: false)
        ]) {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
                FetchedProperty(
                    "homonyms", of: "Person",
                    predicateFormat: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE")
                FetchedProperty(
                    "peers", of: "Person", predicateFormat: "boss == $FETCH_SOURCE.boss")
                FetchedProperty(
                    "grandchildren", of: "Person",
                    predicateFormat: "boss IN $FETCH_SOURCE.reports", fetchLimit: 2)
                FetchedProperty(
                    "drafts", of: "Draft",
                    predicateFormat: "owner == $FETCHED_PROPERTY.userInfo.kind",
                    userInfo: ["kind": "person"])
                FetchedProperty(
                    "namesakesOfBoss", of: "Person",
                    predicateFormat: "name == $FETCH_SOURCE.boss.name")
            }
            EntityDeclaration("Manager", parent: "Person")
            EntityDeclaration("Draft") { AttributeDeclaration("owner", .string) }
        }
    }

    private func inContext<T>(
        _ body: (ManagedObjectContext) throws -> sending T
    ) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }

    @discardableResult
    private func person(
        _ name: String, boss: ManagedObject? = nil, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let person = try context.insert(name == "Max" ? "Manager" : "Person")
        person["name"] = .string(name)
        try person.setObject(boss, forKey: "boss")
        return person
    }

    @Test func `find the objects of a predicate on the object`() throws {
        try inContext { context throws in
            let max = try person("Max", context)
            let anna = try person("Anna", boss: max, context)
            let other = try person("Anna", boss: max, context)
            let bert = try person("Bert", boss: anna, context)
            try context.insert("Draft")["owner"] = .string("person")
            try context.insert("Draft")["owner"] = .string("other")
            try context.save()
            #expect(try anna.fetchedObjects(forKey: "homonyms") == [other])
            #expect(try Set(anna.fetchedObjects(forKey: "peers")) == [anna, other])
            #expect(try max.fetchedObjects(forKey: "grandchildren") == [bert])
            #expect(try anna.fetchedObjects(forKey: "drafts").count == 1)
            #expect(try Set(bert.fetchedObjects(forKey: "namesakesOfBoss")) == [anna, other])
            // The path ends at a boss that is nil.
            #expect(try max.fetchedObjects(forKey: "namesakesOfBoss").isEmpty)
            let all: [ManagedObject] = max[fetched: "homonyms"]
            #expect(all.isEmpty)
        }
    }

    @Test func `stay as they are until the object is refreshed`() throws {
        try inContext { context throws in
            let anna = try person("Anna", context)
            try context.save()
            #expect(try anna.fetchedObjects(forKey: "homonyms").isEmpty)
            let other = try person("Anna", context)
            #expect(try anna.fetchedObjects(forKey: "homonyms").isEmpty)
            try context.save()
            #expect(try anna.fetchedObjects(forKey: "homonyms").isEmpty)
            try context.refresh(anna, mergeChanges: true)
            #expect(try anna.fetchedObjects(forKey: "homonyms") == [other])
            context.delete(other)
            #expect(try anna.fetchedObjects(forKey: "homonyms") == [other])
            anna["age"] = .integer(1)
            try context.refresh(anna, mergeChanges: true)
            #expect(try anna.fetchedObjects(forKey: "homonyms").isEmpty)
            #expect(anna["age"] == .integer(1))
        }
    }

    @Test func `see pending changes, also of an object that was never saved`() throws {
        try inContext { context throws in
            let anna = try person("Anna", context)
            let other = try person("Anna", context)
            #expect(try anna.fetchedObjects(forKey: "homonyms") == [other])
            try person("Bert", boss: anna, context)
            try context.save()
            #expect(try anna.objects(forKey: "reports").count == 1)
            #expect(try anna.changedValues().isEmpty)
        }
    }

    @Test func `that are unknown are refused by name`() throws {
        try inContext { context throws in
            let anna = try person("Anna", context)
            let error = try #require(throws: PropertyError.self) {
                try anna.fetchedObjects(forKey: "name")
            }
            #expect(error.code == .unknownProperty && error.property == "name")
            let none: [ManagedObject] = anna[fetched: "nothing"]
            #expect(none.isEmpty)
            #expect(throws: (any Error).self) { try context.save() }
        }
    }
}
