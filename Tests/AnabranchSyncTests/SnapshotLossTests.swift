import Anabranch
import AnabranchReplication
import AnabranchServer
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of what a snapshot discards of the edits that a device made while it was away.
@Suite struct `Edits of a device that returns by a snapshot` {
    private let scenario: EngineScenario
    private let a: PersistentContainer
    private let b: PersistentContainer

    init() throws {
        try self.init(isInMemory: false)
    }

    private init(isInMemory: Bool) throws {
        scenario = try EngineScenario()
        let model = try ManagedObjectModel {
            EntityDeclaration("Note") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("color", .string)
                AttributeDeclaration("reads", .integer64, mergeRule: .counter)
                RelationshipDeclaration("tags", toMany: "Tag", inverse: "notes")
            }
            EntityDeclaration("Tag") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("notes", toMany: "Note", inverse: "tags")
            }
        }
        a = try Self.container(scenario.folder.file("a.db"), model, isInMemory)
        b = try Self.container(scenario.folder.file("b.db"), model, isInMemory)
    }

    private static func container(
        _ path: String, _ model: ManagedObjectModel, _ isInMemory: Bool
    ) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: model,
            storeDescription: isInMemory
                ? .inMemory(named: path) : PersistentStoreDescription(url: URL(filePath: path)))
        try container.load()
        return container
    }

    private func sync(_ container: PersistentContainer) async throws {
        let engine = try scenario.engine(container)
        #expect(try await engine.synchronize().isCaughtUp)
    }

    private func edit(
        _ container: PersistentContainer, _ author: String,
        _ body: ([String: ManagedObject], ManagedObjectContext) throws -> Void
    ) throws {
        Thread.sleep(forTimeInterval: 0.002)
        try container.newBackgroundContext().performAndWait { context throws in
            context.transactionAuthor = author
            var objects: [String: ManagedObject] = [:]
            for (entity, key) in [("Note", "text"), ("Tag", "name")] {
                for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity)) {
                    if case .string(let name) = object[key] { objects[name] = object }
                }
            }
            try body(objects, context)
            try context.save()
        }
    }

    private func begin() async throws {
        try edit(a, "Ada") { _, context in
            for text in ["kept", "deleted"] {
                let note = try context.insert("Note")
                try note.setValue(text, forKey: "text")
                try note.setValue("white", forKey: "color")
                try note.setValue(1, forKey: "reads")
            }
            try context.insert("Tag").setValue("tag", forKey: "name")
        }
        try await sync(a)
        try await sync(b)
        // The device edits both notes, then the other one changes one and deletes the other.
        try edit(b, "Bob") { objects, _ in
            for text in ["kept", "deleted"] {
                try objects[text]?.setValue("blue", forKey: "color")
                try objects[text]?.setValue(4, forKey: "reads")
            }
            try objects["deleted"]?.objects(forKey: "tags").insert(#require(objects["tag"]))
        }
        try edit(b, "Bob") { objects, _ in try objects["kept"]?.setValue("red", forKey: "color") }
        try edit(a, "Ada") { objects, context in
            try objects["kept"]?.setValue("green", forKey: "color")
            context.delete(try #require(objects["deleted"]))
        }
        try await sync(a)
    }

    /// The discarded values of Bob, with their winners.
    private func losses(_ container: PersistentContainer) throws -> Set<String> {
        let conflicts = try container.coordinator.conflicts()
        return Set(
            conflicts.filter { $0.lost.author == "Bob" }.map { conflict in
                let winner = conflict.winningValue.map { "\($0)" } ?? "–"
                let value = conflict.isLink ? "link" : "\(conflict.value)"
                return "\(conflict.property.name.string) \(value) < \(winner)"
            })
    }

    @Test(arguments: [false, true])
    func `are in its journal, as they are without a compaction`(isCompacted: Bool) async throws {
        try await begin()
        if isCompacted { _ = try scenario.zone.compact(keeping: 0) }
        try await sync(b)
        if isCompacted { _ = try scenario.zone.compact(keeping: 0) }
        try await sync(a)
        let lost = try losses(b)
        #expect(
            lost == [
                "color 'red' < 'green'", "color 'blue' < –", "reads 4 < –", "tags link < –",
            ])
        // A journal has a value once, however often the zone is loaded.
        let count = try b.coordinator.conflictCount()
        _ = try scenario.zone.compact(keeping: 0)
        try await sync(b)
        #expect(try b.coordinator.conflictCount() == count)
        #expect(try a.coordinator.canonicalHash() == b.coordinator.canonicalHash())
        try restoreDeleted(in: b)
    }

    @Test func `are in its journal, also if the store is in memory`() async throws {
        let other = try Self(isInMemory: true)
        try await other.begin()
        _ = try other.scenario.zone.compact(keeping: 0)
        try await other.sync(other.b)
        #expect(try other.losses(other.b).count == 4)
        try other.restoreDeleted(in: other.b)
    }

    /// Inserts the deleted note as a new one, with the values that its log no longer has.
    private func restoreDeleted(in container: PersistentContainer) throws {
        let conflict = try #require(
            try container.coordinator.conflicts().first {
                $0.winningValue == nil && $0.value == .string("blue")
            })
        try container.newBackgroundContext().performAndWait { context throws in
            let note = try context.insert(try context.discardedValues(of: conflict))
            try context.save()
            #expect(note["text"] == .string("deleted") && note["color"] == .string("blue"))
            #expect(note["reads"] == .integer(4))
            #expect(try note.objects(forKey: "tags").count == 1)
        }
    }
}
