import Anabranch
import Testing

@testable import Departments
@testable import Notes

/// Tests that the classes of an example make the model that is written in Swift.
@Suite struct `The models of the examples` {
    @Test func `the classes of the notes make the model of the article`() throws {
        let model = try ManagedObjectModel(Folder.self, Note.self)
        try Self.expect(model, equals: try NotesModel.make())
    }

    @Test func `the classes of the departments make their model, with inheritance`() throws {
        let model = try ManagedObjectModel(
            Person.self, Employee.self, Department.self)
        let written = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("likedBy", toMany: "Person", inverse: "likes")
                RelationshipDeclaration("likes", toMany: "Person", inverse: "likedBy")
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("badge", .string)
                AttributeDeclaration("role", .integer16)
                RelationshipDeclaration("department", to: "Department", inverse: "staff")
            }
            EntityDeclaration("Department") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("staff", toMany: "Employee", inverse: "department")
            }
        }
        try Self.expect(model, equals: written)
    }

    private static func expect(
        _ model: ManagedObjectModel, equals written: ManagedObjectModel
    ) throws {
        #expect(model.declaration == written.declaration)
        #expect(model.hash == written.hash)
        #expect(model.entityVersionHashesByName == written.entityVersionHashesByName)
        #expect(model.hasVersion(of: written))
    }
}
