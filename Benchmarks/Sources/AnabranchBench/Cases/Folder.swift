import Anabranch

@Entity
final class Folder: ManagedObject {
    var name: String?
    var notes: ManagedObjectSet<Note>
}

@Entity
final class Note: ManagedObject {
    var title: String?
    var folder: Folder?
}

enum FolderStore {
    @ModelBuilder static var entities: [EntityDeclaration] {
        EntityDeclaration("Folder") {
            AttributeDeclaration("name", .string)
            RelationshipDeclaration("notes", toMany: "Note", inverse: "folder")
        }
        EntityDeclaration("Note") {
            AttributeDeclaration("title", .string)
            RelationshipDeclaration("folder", to: "Folder", inverse: "notes")
        }
    }
}
