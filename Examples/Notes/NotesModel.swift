import Anabranch

/// The model of the classes of these notes, written in Swift as the article *Getting started*
/// shows it.
enum NotesModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Folder") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration(
                    "notes", toMany: "Note", inverse: "folder", deleteRule: .cascade)
            }
            EntityDeclaration("Note") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration(
                    "visits", .integer64, optional: false, default: 0,
                    mergeRule: .counter)
                RelationshipDeclaration("folder", to: "Folder", inverse: "notes")
                IndexDeclaration("title", on: "title")
            }
        }
    }
}
