import Anabranch
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// The numbers of statements and transactions that one operation runs. They don't depend on the
/// machine; `Benchmarks/Counts.md` has what depends on the compiler.
@Suite struct `Statements and transactions` {
    private let scenario: EngineScenario
    private let container: PersistentContainer
    private let context: BackgroundContext
    private let log: StatementLog

    /// The numbers of one operation.
    private struct Counts: Equatable, CustomStringConvertible {
        var statements: Int
        var reading = 0
        var writing = 0

        init(_ statements: Int, reading: Int = 0, writing: Int = 0) {
            (self.statements, self.reading, self.writing) = (statements, reading, writing)
        }

        init(_ entries: [StatementLog.Entry]) {
            let transactions = entries.filter(\.isTransaction)
            self.init(
                entries.count, reading: transactions.count { !$0.isWriting },
                writing: transactions.count(where: \.isWriting))
        }

        var description: String {
            "\(statements) statements in \(reading) reading and \(writing) writing transactions"
        }
    }

    init() throws {
        scenario = try EngineScenario()
        log = StatementLog(ofFile: scenario.folder.file("a.db"))
        container = try Self.container(scenario, "a.db")
        context = container.newBackgroundContext()
        try context.performAndWait { context in
            for number in 0..<300 {
                let person = try context.insert("Person")
                try person.setValue("Person \(number)", forKey: "name")
                try person.setValue(number % 3, forKey: "age")
            }
            for _ in 0..<10 {
                let folder = try context.insert("Folder")
                for place in 0..<20 {
                    let note = try context.insert("Note")
                    try note.setValue("Note \(place)", forKey: "name")
                    try note.setObject(folder, forKey: "folder")
                }
            }
            try context.save()
        }
    }

    private static func container(
        _ scenario: EngineScenario, _ name: String
    ) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                IndexDeclaration("byAge", on: "age")
            }
            EntityDeclaration("Folder") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("notes", toMany: "Note", inverse: "folder")
            }
            EntityDeclaration("Note") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("folder", to: "Folder", inverse: "notes")
            }
        }
        var description = PersistentStoreDescription(
            url: URL(fileURLWithPath: scenario.folder.file(name)))
        // Code in the background belongs to no operation.
        description.followsOtherProcesses = false
        let container = PersistentContainer(model: model, storeDescription: description)
        try container.load()
        return container
    }

    /// Checks an operation that is done a second and a third time. What the first needs once, such
    /// as a connection, does not count.
    ///
    /// - Parameters:
    ///   - request: Finds the objects, of which the operation gets another one each time.
    private func expect(
        _ counts: Counts, on request: FetchRequest<ManagedObject>,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ operation: (ManagedObjectContext, ManagedObject) throws -> Void
    ) throws {
        try context.performAndWait { context in
            context.reset()
            let objects = try context.fetch(request)
            try #require(objects.count >= 3)
            for object in objects { _ = try object.value(forKey: "name") }
            for (turn, object) in objects.prefix(3).enumerated() {
                _ = log.take()
                try operation(context, object)
                if turn > 0 { check(log.take(), counts, sourceLocation) }
            }
        }
    }

    private func check(
        _ entries: [StatementLog.Entry], _ counts: Counts, _ sourceLocation: SourceLocation
    ) {
        let sql = entries.map { "\($0.isTransaction ? "" : "    ")\($0.sql)" }
        #expect(
            Counts(entries) == counts, "\(sql.joined(separator: "\n"))",
            sourceLocation: sourceLocation)
    }

    private func request(
        _ entity: String, _ format: String? = nil
    ) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try format.map { try FetchPredicate($0) }
        return request
    }

    @Test func `a save of one object is one transaction of four statements`() throws {
        try expect(Counts(4, writing: 1), on: request("Person")) { context, _ in
            try context.insert("Person").setValue("New", forKey: "name")
            try context.save()
        }
        try expect(Counts(4, writing: 1), on: request("Person")) { context, person in
            try person.setValue(40, forKey: "age")
            try context.save()
        }
        try expect(Counts(4, writing: 1), on: request("Person")) { context, person in
            context.delete(person)
            try context.save()
        }
    }

    @Test func `a save of many objects inserts sixteen with a statement`() throws {
        try expect(Counts(3 + 10, writing: 1), on: request("Person")) { context, _ in
            for number in 0..<160 {
                try context.insert("Person").setValue(number, forKey: "age")
            }
            try context.save()
        }
    }

    @Test func `a look-up, a count and a fetch are one statement each`() throws {
        let ids = try context.performAndWait { try $0.objectIDs(for: request("Person")) }
        var unread = ids
        try expect(Counts(1, reading: 1), on: request("Folder")) { context, _ in
            let person = try context.existingObject(with: unread.removeLast())
            _ = try person.value(forKey: "name")
        }
        try expect(Counts(1, reading: 1), on: request("Folder")) { context, _ in
            let count = try context.count(for: request("Person", "age == 1"))
            #expect(count == 100)
        }
        try expect(Counts(1, reading: 1), on: request("Folder")) { context, _ in
            let people = try context.fetch(request("Person"))
            for person in people { _ = try person.value(forKey: "name") }
        }
    }

    @Test func `a to-one is read with one statement, a to-many with two of any size`() throws {
        try expect(Counts(1, reading: 1), on: request("Note", "name == 'Note 0'")) { _, note in
            let name = try note.object(forKey: "folder")?.value(forKey: "name")
            #expect(name != nil)
        }
        try expect(Counts(2, reading: 2), on: request("Folder")) { _, folder in
            let notes = try folder.objects(forKey: "notes")
            #expect(notes.count == 20)
            for note in notes { _ = try note.value(forKey: "name") }
        }
    }

    @Test func `an exchange is one transaction if it pulls, and one statement if it need not`()
        async throws
    {
        let other = try Self.container(scenario, "b.db")
        let (engine, remote) = (try scenario.engine(container), try scenario.engine(other))
        try await engine.synchronize()
        try await remote.synchronize()
        let writing = other.newBackgroundContext()
        for turn in 0..<3 {
            try writing.performAndWait { context in
                try context.insert("Person").setValue("Remote \(turn)", forKey: "name")
                try context.save()
            }
            try await remote.synchronize()
            _ = log.take()
            let pull = try await engine.synchronize()
            #expect(pull.pulledChangeSets == 1)
            if turn > 0 { check(log.take(), Counts(10, reading: 1, writing: 1), #_sourceLocation) }
            _ = log.take()
            let idle = try await engine.synchronize()
            #expect(idle.pulledChangeSets == 0)
            check(log.take(), Counts(1, reading: 1), #_sourceLocation)
        }
    }

    @Test func `a change that is pulled and merged is two transactions`() async throws {
        let other = try Self.container(scenario, "b.db")
        let (engine, remote) = (try scenario.engine(container), try scenario.engine(other))
        try await engine.synchronize()
        try await remote.synchronize()
        let writing = other.newBackgroundContext()
        // Until the zone has a record of a known entity, it is looked for.
        try writing.performAndWait { context in
            _ = try context.insert("Person")
            try context.save()
        }
        try await remote.synchronize()
        try await engine.synchronize()
        let person = try request("Person", "name == 'Person 7'")
        // Only the context's queue uses it.
        nonisolated(unsafe) var held: ManagedObject?
        try context.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            held = try context.fetch(person).first
            _ = try held?.value(forKey: "age")
        }
        for turn in 0..<3 {
            try writing.performAndWait { context in
                try context.fetch(person).first?.setValue(90 + turn, forKey: "age")
                try context.save()
            }
            try await remote.synchronize()
            _ = log.take()
            try await engine.synchronize()
            let age = try context.performAndWait { _ in try held?.value(forKey: "age") }
            #expect(age == .integer(Int64(90 + turn)))
            if turn > 0 { check(log.take(), Counts(12, reading: 2, writing: 1), #_sourceLocation) }
        }
    }

    @Test func `an exchange that pushes a save writes one transaction`() async throws {
        let engine = try scenario.engine(container)
        try await engine.synchronize()
        for turn in 0..<3 {
            try context.performAndWait { context in
                try context.insert("Person").setValue("Own \(turn)", forKey: "name")
                try context.save()
            }
            _ = log.take()
            let push = try await engine.synchronize()
            #expect(push.pushedChangeSets == 1)
            if turn > 0 { check(log.take(), Counts(10, reading: 2, writing: 1), #_sourceLocation) }
        }
    }
}
