import Anabranch

/// The model of the article *What merges how*.
enum Meetings {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Meeting") {
                Attribute("title", .string)
                Attribute("start", .date)
                Attribute("end", .date)
                AttributeGroup("time", "start", "end")
            }
        }
    }
}
