import Anabranch
import Foundation
import TestSupport
import Testing

/// Functions that are passed by their names, beside closures.
@Suite struct BackgroundTaskTests {
    private static func fill(_ context: ManagedObjectContext) throws {
        try context.insert("Note")["text"] = .string("a note")
        try context.save()
    }

    private static func count(_ context: ManagedObjectContext) throws -> Int {
        try context.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
    }

    @Test func `a function runs in a background context by its name`() async throws {
        let folder = try TemporaryDirectory("background-task")
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: folder.file("notes.anabranch")))
        try container.load()
        defer { container.coordinator.close() }
        try await container.performBackgroundTask(Self.fill)
        let context = container.newBackgroundContext()
        try await context.perform(Self.fill)
        #expect(try await context.perform(Self.count) == 2)
        #expect(try await container.performBackgroundTask { try Self.count($0) + 1 } == 3)
    }

    @Test func `a closure may still send a result that is not Sendable`() async throws {
        final class Box { var count = 0 }
        let folder = try TemporaryDirectory("background-task")
        let container = PersistentContainer(
            model: try NotesModel.make(), url: URL(filePath: folder.file("notes.anabranch")))
        try container.load()
        defer { container.coordinator.close() }
        let box = try await container.performBackgroundTask { context in
            let box = Box()
            box.count = try Self.count(context)
            return box
        }
        #expect(box.count == 0)
    }
}
