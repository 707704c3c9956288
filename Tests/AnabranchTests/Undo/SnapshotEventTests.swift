import Anabranch
import Foundation
import TestSupport
import Testing

private final class Note: ManagedObject {
    override class var entityName: String { "Note" }
    override class var slotNames: [String] { ["text"] }
    var text: String {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }

    private(set) var events: [SnapshotEventType] = []
    private(set) var texts: [String] = []

    override func awake(fromSnapshotEvents event: SnapshotEventType) {
        events.append(event)
        texts.append(text)
    }
}

private final class Notes: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("notes")
        container = PersistentContainer(
            model: try ManagedObjectModel {
                EntityDeclaration("Note") { AttributeDeclaration("text", .string) }
            },
            classes: [Note.self], url: URL(filePath: directory.file("notes.anabranch")))
        try container.load()
    }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }
}

@Suite struct `Observers receive values that no code has set` {
    @Test func `the numbers of the events are Core Data's`() {
        let all: [SnapshotEventType] = [
            .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
        ]
        #expect(all.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
    }

    @Test func `an undo and a redo report their values`() throws {
        try Notes().inContext { context throws in
            context.undoManager = UndoStack()
            let note = try context.insert(Note.self)
            context.processPendingChanges()
            try context.step { note.text = "b" }
            try context.step { context.delete(note) }
            #expect(note.events.isEmpty)
            context.undo()
            context.undo()
            #expect(note.events == [.undoDeletion, .undoUpdate] && note.texts == ["b", ""])
            context.undo()
            #expect(note.events.last == .undoInsertion)
            context.redo()
            context.redo()
            #expect(note.events.suffix(2) == [.undoDeletion, .undoUpdate])
            #expect(note.texts.last == "b")
        }
    }

    @Test(arguments: [StandardMergePolicy.mergeByPropertyStoreTrump, .rollback, .overwrite])
    func `a merge policy reports the values that it gives an object`(policy: StandardMergePolicy)
        throws
    {
        let notes = try Notes()
        try notes.inContext { context throws in
            context.mergePolicy = policy
            let (note, quiet) = (try context.insert(Note.self), try context.insert(Note.self))
            note.text = "a"
            try context.save()
            try notes.inContext { other throws in
                try other.fetch(FetchRequest<Note>()).first { $0.text == "a" }?.text = "b"
                try other.save()
            }
            note.text = "c"
            quiet.text = "q"
            try context.save()
            let isOverwritten = policy == .overwrite
            #expect(note.text == (isOverwritten ? "c" : "b") && quiet.events.isEmpty)
            #expect(note.events == (isOverwritten ? [] : [.mergePolicy]))
            #expect(note.texts == (isOverwritten ? [] : ["b"]) && !context.hasChanges)
        }
    }

    @Test func `a rollback, a refresh and a merge report their values`() throws {
        let notes = try Notes()
        try notes.inContext { context throws in
            let note = try context.insert(Note.self)
            note.text = "a"
            try context.save()
            note.text = "b"
            context.rollback()
            #expect(note.events == [.rollback] && note.texts == ["a"])
            note.text = "c"
            try context.refresh(note, mergeChanges: true)
            #expect(note.events == [.rollback, .refresh] && note.texts.last == "c")
            context.rollback()
            let changes: ObjectIDChanges? = try notes.inContext { other throws in
                let log = NotificationLog(ManagedObjectContext.didSave, of: other)
                try other.fetch(FetchRequest<Note>())[0].text = "d"
                try other.save()
                return log.all.last
            }
            try context.mergeChanges(from: try #require(changes))
            #expect(note.events.last == .refresh && note.texts.last == "d")
        }
    }
}
