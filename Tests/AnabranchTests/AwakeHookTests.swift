import Anabranch
import Foundation
import TestSupport
import Testing

/// An object that keeps a value computed from its attributes.
private final class Track: ManagedObject {
    override class var entityName: String { "Track" }
    override class var slotNames: [String] { ["name", "plays", "title", "album", "tracks"] }
    var name: String {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var plays: Int64 {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    /// A transient attribute.
    var title: String? {
        get { self[slot: 2] }
        set { self[slot: 2] = newValue }
    }
    var album: Track? {
        get { self[toOne: 3] }
        set { self[toOne: 3] = newValue }
    }

    var onFetch: (Track) -> Void = { $0.title = "«\($0.name)»" }
    override func awakeFromFetch() { onFetch(self) }
    override func awake(fromSnapshotEvents events: SnapshotEventType) { title = "«\(name)»" }

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Track") {
                AttributeDeclaration("name", .string, optional: false, default: "")
                AttributeDeclaration("plays", .integer64, optional: false, default: 0)
                AttributeDeclaration("title", .string, transient: true)
                RelationshipDeclaration("album", to: "Track", inverse: "tracks")
                RelationshipDeclaration("tracks", toMany: "Track", inverse: "album")
            }
        }
    }
}

private final class Tracks: Sendable {
    let container: PersistentContainer

    init() throws {
        container = PersistentContainer(
            model: try Track.makeModel(), classes: [Track.self],
            storeDescription: PersistentStoreDescription.inMemory)
        try container.load()
    }

    /// Runs a block with a saved track that is a fault.
    func withFault(_ body: (ManagedObjectContext, Track) throws -> Void) throws {
        try container.newBackgroundContext().performAndWait { context throws in
            let track = try context.insert(Track.self)
            track.name = "Blue"
            try context.save()
            try context.refresh(track, mergeChanges: false)
            context.undoManager = UndoStack()
            try body(context, track)
        }
    }
}

@Suite struct `Caches that an object fills when its fault fires` {
    @Test func `make neither it nor its context changed`() throws {
        try Tracks().withFault { context, track in
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            #expect(track.title == "«Blue»" && !context.hasChanges && !track.isUpdated)
            context.processPendingChanges()
            #expect(log.all.isEmpty && context.undoManager?.canUndo == false)
            // The object may be a fault again, or released.
            try context.refresh(track, mergeChanges: true)
            #expect(track.isFault && track.title == "«Blue»")
            track.plays = 1
            #expect(try track.changedValues() == ["plays": 1])
            context.rollback()
            #expect(track.title == "«Blue»" && track.plays == 0 && !context.hasChanges)
        }
    }

    @Test func `are not among the changes of an object that has others`() throws {
        try Tracks().withFault { context, track in
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            track.plays = 1
            context.processPendingChanges()
            track.name = "Green"
            #expect(track.title == "«Blue»")
            context.undo()
            #expect(try track.title == "«Blue»" && track.changedValues() == ["plays": 1])
            context.redo()
            #expect(track.title == "«Green»")
            #expect(try track.changedValues() == ["name": "Green", "plays": 1])
            try context.refresh(track, mergeChanges: true)
            #expect(track.title == "«Green»")
            #expect(try track.changedValues() == ["name": "Green", "plays": 1])
            context.undo()
            context.undo()
            #expect(track.title == "«Blue»" && !context.hasChanges)
            context.redo()
            try context.save()
            #expect(log.all.map { Array($0.updated) } == [[track.objectID]])
        }
    }

    @Test func `are saved with its next change if they are stored attributes`() throws {
        let tracks = try Tracks()
        try tracks.withFault { context, track in
            track.onFetch = { $0.plays += 10 }
            #expect(try track.plays == 10 && !context.hasChanges && track.changedValues().isEmpty)
            track.name = "Green"
            #expect(try track.changedValues() == ["name": "Green"])
            try context.save()
            try tracks.container.newBackgroundContext().performAndWait { other throws in
                let found = try #require(try other.fetch(FetchRequest<Track>()).first)
                #expect(found.name == "Green" && found.plays == 10)
            }
        }
    }

    @Test func `are changes if they are relationships or attributes of another object`() throws {
        try Tracks().withFault { context, track in
            let album = try context.insert(Track.self)
            try context.save()
            track.onFetch = { track in
                track.album = album
                album.name = "Colours"
            }
            #expect(track.album === album)
            #expect(context.updatedObjects == [track, album])
            #expect(try album.objects(forKey: "tracks").objects == [track])
            try context.save()
            #expect(track.album === album && !context.hasChanges)
        }
    }
}
