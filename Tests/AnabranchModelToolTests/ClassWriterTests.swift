import AnabranchModel
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchModelTool

@Suite struct `Classes of a model` {
    @Test func `each entity has a class with its slots in order`() throws {
        let model = try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Attribute("age", .integer64, optional: false, default: 0)
                Attribute("in", .boolean)
                Relationship("boss", to: "Person", inverse: "reports")
                Relationship("reports", toMany: "Person", inverse: "boss")
            }
            Entity("Pilot", parent: "Person") {
                Attribute("licence", .uuid)
            }
        }
        Golden.expect(
            ClassWriter(model: model, fileName: "our people").source(), matches: "classes.txt")
    }

    @Test func `an ordered relationship is a list`() throws {
        let model = try ManagedObjectModel {
            Entity("Album") { Relationship("songs", toMany: "Song", ordered: true) }
            Entity("Song") { Attribute("name", .string) }
        }
        let source = ClassWriter(model: model, fileName: "music").source()
        #expect(source.contains("public var songs: ManagedObjectList<Song> { self[list: 0] }"))
    }
}
