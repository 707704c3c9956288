import Anabranch
import Foundation

@Entity
nonisolated final class Folder: ManagedObject {
    var name: String?
    @Relationship(deleteRule: .cascade, inverse: \Note.folder)
    var notes: ManagedObjectSet<Note>
}

@Entity
nonisolated final class Note: ManagedObject {
    @Attribute(.indexed) var title: String?
    @Attribute(mergeRule: .counter) var visits: Int64 = 0
    var folder: Folder?
}

/// The program of the article *Getting started*, in the order of its sections.
@main
enum Notes {
    static func main() async throws {
        let model = try ManagedObjectModel(Folder.self, Note.self)
        let container = PersistentContainer(
            model: model, classes: [Folder.self, Note.self],
            url: URL(filePath: "notes.store"))
        try container.load()

        let ids = try await container.performBackgroundTask { context in
            let folder = try context.insert(Folder.self)
            folder.name = "Shopping"
            for title in ["Milk", "Bread"] {
                let note = try context.insert(Note.self)
                note.title = title
                note.folder = folder
            }
            try context.save()

            return try context.objectIDs(
                for: FetchRequest<Note>(where: \.folder?.name == "Shopping", sortedBy: \.title))
        }
        try show(ids, in: container)

        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["SERVER"].flatMap(URL.init(string:)) else { return }
        try await synchronize(container, with: server, token: environment["TOKEN"])
    }

    @MainActor
    static func show(_ ids: [ManagedObjectID], in container: PersistentContainer) throws {
        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = true
        for id in ids {
            guard let note = context.object(with: id, as: Note.self) else { continue }
            note.visits += 1
            print(note.title ?? "", note.folder?.name ?? "")
        }
        try context.save()
    }
}
