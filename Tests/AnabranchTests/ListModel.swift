import Anabranch
import Foundation
import TestSupport

/// A model with every kind of list: of a one-to-many, and of one side and of both sides of a
/// many-to-many.
enum ListModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Album") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration(
                    "songs", toMany: "Song", ordered: true, inverse: "album",
                    deleteRule: .cascade)
            }
            EntityDeclaration("Song") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("album", to: "Album", inverse: "songs")
                RelationshipDeclaration("mixes", toMany: "Mix", ordered: true, inverse: "songs")
                RelationshipDeclaration("fans", toMany: "Fan", inverse: "likes")
            }
            EntityDeclaration("Mix") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("songs", toMany: "Song", ordered: true, inverse: "mixes")
            }
            EntityDeclaration("Fan") {
                RelationshipDeclaration("likes", toMany: "Song", ordered: true, inverse: "fans")
            }
        }
    }

    static let classes: [ManagedObject.Type] = [Album.self, Song.self, Mix.self]
}

final class Album: ManagedObject {
    override class var entityName: String { "Album" }
    override class var slotNames: [String] { ["title", "songs"] }
    var songs: ManagedObjectList<Song> { self[list: 1] }
}

final class Song: ManagedObject {
    override class var entityName: String { "Song" }
    override class var slotNames: [String] { ["name", "album", "fans", "mixes"] }
    var name: String {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var album: Album? {
        get { self[toOne: 1] }
        set { self[toOne: 1] = newValue }
    }
    var mixes: ManagedObjectList<Mix> { self[list: 3] }
}

final class Mix: ManagedObject {
    override class var entityName: String { "Mix" }
    override class var slotNames: [String] { ["title", "songs"] }
    var songs: ManagedObjectList<Song> { self[list: 1] }
}

/// A store of that model, with helpers for tests.
final class Jukebox: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("lists")
        container = PersistentContainer(
            model: try ListModel.make(), classes: ListModel.classes,
            url: URL(filePath: directory.file("jukebox.anabranch")))
        try container.load()
    }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }
}

/// The owner of the list: the relationship is a one-to-many or a many-to-many.
enum ListOwner: String, CaseIterable, Sendable {
    case album = "Album"
    case mix = "Mix"

    func songs(_ context: ManagedObjectContext) throws -> ManagedObjectList<Song> {
        switch self {
        case .album: try context.fetch(FetchRequest<Album>())[0].songs
        case .mix: try context.fetch(FetchRequest<Mix>())[0].songs
        }
    }

    /// Inserts a list of songs, given by their names, and saves.
    func insert(
        _ names: String, _ context: ManagedObjectContext
    ) throws -> ManagedObjectList<Song> {
        let list: ManagedObjectList<Song> =
            switch self {
            case .album: try context.insert(Album.self).songs
            case .mix: try context.insert(Mix.self).songs
            }
        for name in names { list.append(try context.song(name)) }
        try context.save()
        return list
    }
}

extension ManagedObjectContext {
    func song(_ name: Character) throws -> Song {
        let song = try insert(Song.self)
        song.name = String(name)
        return song
    }
}

extension ManagedObjectList<Song> {
    var names: String { map(\.name).joined() }

    func named(_ name: String) -> Song { first { $0.name == name }! }
}
