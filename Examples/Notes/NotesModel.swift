import Anabranch

/// The model of the classes of these notes, written in Swift as the article *Getting started*
/// shows it.
enum NotesModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Folder") {
                Attribute("name", .string)
                Relationship(
                    "notes", toMany: "Note", inverse: "folder", deleteRule: .cascade)
            }
            Entity("Note") {
                Attribute("title", .string)
                Attribute(
                    "visits", .integer64, optional: false, default: 0,
                    mergeRule: .counter)
                Relationship("folder", to: "Folder", inverse: "notes")
                IndexDeclaration("title", on: "title")
            }
        }
    }
}
