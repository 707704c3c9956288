import Anabranch
import AnabranchReplication
import Foundation
import TestSupport

/// A model of synced notes, and of every kind of list in a configuration that is not synced.
enum PlayerModel {
    static func make() throws -> ManagedObjectModel {
        var declaration = try ListModel.make().declaration
        declaration.entities.append(
            EntityDeclaration("Note") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("visits", .integer64, mergeRule: .counter)
            })
        declaration.entities.append(
            EntityDeclaration("Window", deletePolicy: .updateWins) {
                AttributeDeclaration("name", .string)
                UniquenessConstraint("name")
            })
        declaration.configurations = [
            ModelConfiguration("Player", "Album", "Song", "Mix", "Fan", "Window", isSynced: false)
        ]
        return try ManagedObjectModel(declaration)
    }
}

/// A store of that model.
final class PlayerStore: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("player")
        container = try Self.open(directory)
    }

    static func open(_ directory: TemporaryDirectory) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try PlayerModel.make(), classes: ListModel.classes,
            url: URL(filePath: directory.file("player.anabranch")))
        try container.load()
        return container
    }

    var coordinator: PersistentStoreCoordinator { container.coordinator }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }

    /// The unsynced objects, as a new context reads them.
    func unsynced() throws -> [String] { try inContext { try $0.unsynced() } }

    /// The entities that the change sets of the store name.
    func loggedEntities() throws -> Set<String> {
        var names: Set<String> = []
        for set in try coordinator.changeSets() {
            try coordinator.forEachBlock(of: set) { block in
                switch block {
                case .insert(let rows), .update(let rows), .add(let rows):
                    names.insert(rows.entity.string)
                case .write(let block): names.insert(block.entity.string)
                case .delete(let records): names.insert(records.entity.string)
                case .yieldingDelete(let block): names.insert(block.entity.string)
                case .link(let links), .unlink(let links), .move(let links):
                    names.insert(links.entity.string)
                case .unknown: names.insert("unknown")
                }
            }
        }
        return names
    }
}

extension ManagedObjectContext {
    func objects(_ entity: String) throws -> [ManagedObject] {
        try fetch(FetchRequest<ManagedObject>(entityName: entity))
    }

    /// All unsynced objects in words, with their lists in order.
    func unsynced() throws -> [String] {
        var lines = try fetch(FetchRequest<Album>()).map { album in
            "album \(try album.text("title")): \(album.songs.map(\.name).joined())"
        }
        lines += try fetch(FetchRequest<Mix>()).map { mix in
            "mix \(try mix.text("title")): \(mix.songs.map(\.name).joined())"
        }
        lines += try fetch(FetchRequest<Song>()).map { song in
            let mixes = try song.mixes.map { try $0.text("title") }.sorted().joined(separator: ",")
            let album = try song.album.map { try $0.text("title") } ?? "none"
            return "song \(song.name) of \(album) in \(mixes)"
        }
        lines += try objects("Window").map { "window \(try $0.text("name"))" }
        return lines.sorted()
    }

    @discardableResult
    func note(_ title: String) throws -> ManagedObject {
        let note = try insert("Note")
        note["title"] = .string(title)
        return note
    }
}

extension ManagedObject {
    fileprivate func text(_ key: String) throws -> String {
        try value(forKey: key, as: String?.self) ?? "untitled"
    }
}
