import Anabranch
import Foundation

/// The classes of the first release, as they were shipped. They never change.
enum FirstRelease {
    @Entity
    nonisolated final class Folder: ManagedObject {
        @Relationship(deleteRule: .cascade, inverse: \Note.folder)
        var notes: ManagedObjectSet<Note>
    }

    @Entity
    nonisolated final class Note: ManagedObject {
        var label: String?
        var folder: Folder?
    }
}

/// The code of the article *Change the model*.
extension Notes {
    static func openStoresOfAllReleases(_ url: URL) throws -> PersistentContainer {
        let first = ManagedObjectModelReference("1") {
            try ManagedObjectModel(FirstRelease.Folder.self, FirstRelease.Note.self)
        }
        let second = ManagedObjectModelReference("2") {
            try ManagedObjectModel(Folder.self, Note.self)
        }
        var description = PersistentStoreDescription(url: url)
        description.stagedMigration = StagedMigration([
            .custom("Make titles of labels", from: first, to: second) { context, former in
                for note in try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")) {
                    let label: String? = try former.value(forKey: "label", of: note)
                    try note.setValue(label?.capitalized, forKey: "title")
                }
            }
        ])
        let container = PersistentContainer(
            model: try second.model(), classes: [Folder.self, Note.self],
            storeDescription: description)
        try container.load()
        return container
    }

    static func backUp(_ container: PersistentContainer, to folder: URL) throws {
        try container.coordinator.backUp(to: folder.appending(path: "notes-backup.store"))
    }
}
