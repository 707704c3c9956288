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
}
