import Anabranch

/// The model of the article *What merges how*.
enum Meetings {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Meeting") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("start", .date)
                AttributeDeclaration("end", .date)
                AttributeGroup("time", "start", "end")
            }
        }
    }
}
