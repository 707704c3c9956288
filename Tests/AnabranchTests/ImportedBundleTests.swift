import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `A bundle that is taken in` {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("bundles") }

    private func container(_ name: String) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try NotesModel.make(), url: folder.url.appending(path: name))
        try container.load()
        return container
    }

    private func save(_ text: String, in container: PersistentContainer) async throws {
        try await container.performBackgroundTask { context in
            let held = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
            let note = try held.first ?? context.insert("Note")
            note["text"] = .string(text)
            try context.save()
        }
    }

    @Test func `is shown by contexts, which keep what was not saved`() async throws {
        let (a, b) = (try container("a"), try container("b"))
        let file = folder.url.appending(path: "a.bundle")
        try await save("first", in: a)
        let first = try a.coordinator.exportBundle(to: file)
        #expect(first.changeSetCount == 1)
        #expect(try await b.coordinator.importBundle(from: file).appliedCount == 1)
        let context = b.newBackgroundContext()
        try await context.perform { context in
            let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
            notes.first?["edits"] = .integer(7)
        }
        try await save("second", in: a)
        let second = try a.coordinator.exportBundle(to: file, lacking: .vector(first.vector))
        #expect(second.changeSetCount == 1)
        let outcome = try await b.coordinator.importBundle(from: file)
        #expect(outcome.appliedCount == 1 && outcome.waitingCount == 0)
        try await context.perform { context in
            let note = context.updatedObjects.first
            #expect(note?["text"] == .string("second"))
            #expect(note?["edits"] == .integer(7))
        }
        #expect(try a.coordinator.canonicalHash() == b.coordinator.canonicalHash())
        #expect(try ChangeBundle(contentsOf: file).sender == a.coordinator.replicaID)
    }

    @Test func `tells what is wrong with it, and changes nothing`() async throws {
        let b = try container("b")
        let file = folder.url.appending(path: "no.bundle")
        try Data("no bundle".utf8).write(to: file)
        let error = await #expect(throws: StoreError.self) {
            try await b.coordinator.importBundle(from: file)
        }
        #expect(error?.code == .damagedBundle)
        #expect(try b.coordinator.waitingChangeSetCount() == 0)
    }
}
