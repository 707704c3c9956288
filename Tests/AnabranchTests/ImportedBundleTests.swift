import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `A bundle that is applied` {
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

    @Test func `is shown by contexts, which keep their unsaved changes`() async throws {
        let (a, b) = (try container("a"), try container("b"))
        let file = folder.url.appending(path: "a.bundle")
        try await save("first", in: a)
        let first = try a.coordinator.exportBundle(to: file)
        #expect(first.changeSetCount == 1)
        #expect(try await b.coordinator.importBundle(from: file).appliedCount == 1)
        let context = b.newBackgroundContext()
        try await context.perform { context in
            context.automaticallyMergesChangesFromParent = true
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

    @Test func `is closed without the key that it is sealed with`() async throws {
        let (a, b) = (try container("a"), try container("b"))
        let file = folder.url.appending(path: "a.bundle")
        let answer = folder.url.appending(path: "b.bundle")
        var keyRing = BundleKeyRing()
        let old = keyRing
        try keyRing.rotate()
        try await save("first", in: a)
        let written = try a.coordinator.exportBundle(to: file, sealedWith: keyRing)
        #expect(written.sealingKey == keyRing.newest.id)
        for (ring, code) in [
            (nil, StoreError.Code.keyRequired), (old, StoreError.Code.keyMissing),
        ] {
            let error = await #expect(throws: StoreError.self) {
                try await b.coordinator.importBundle(from: file, openedWith: ring)
            }
            #expect(error?.code == code)
            #expect(throws: StoreError.self) {
                try ChangeBundle(contentsOf: file, openedWith: ring)
            }
            #expect(throws: StoreError.self) {
                try ChangeBundle.Base.sender(of: file, openedWith: ring)
            }
        }
        let read = try ChangeBundle(contentsOf: file, openedWith: keyRing)
        #expect(read.byteCount == written.byteCount)
        #expect(read.sealingKey == keyRing.newest.id)
        var authors: [ReplicaID] = []
        try read.forEachChangeSet { authors.append($0.dot.replica) }
        #expect(try authors == [a.coordinator.replicaID])
        let outcome = try await b.coordinator.importBundle(from: file, openedWith: keyRing)
        #expect(outcome.appliedCount == 1)
        try await save("second", in: b)
        let base = try ChangeBundle.Base.sender(of: file, openedWith: keyRing)
        // A bundle that is sealed under the older key can be read too.
        let second = try b.coordinator.exportBundle(to: answer, lacking: base, sealedWith: old)
        #expect(second.changeSetCount == 1)
        try await a.coordinator.importBundle(from: answer, openedWith: keyRing)
        #expect(try a.coordinator.canonicalHash() == b.coordinator.canonicalHash())
        // A caller with keys receives nothing that was not sealed with one of them.
        let plain = try b.coordinator.exportBundle(to: answer)
        #expect(plain.sealingKey == nil)
        let error = await #expect(throws: StoreError.self) {
            try await a.coordinator.importBundle(from: answer, openedWith: keyRing)
        }
        #expect(error?.code == .notSealed)
        let refused = #expect(throws: StoreError.self) {
            try ChangeBundle.Base.sender(of: answer, openedWith: keyRing)
        }
        #expect(refused?.code == .notSealed)
    }

    @Test func `reports what is wrong with it, and changes nothing`() async throws {
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
