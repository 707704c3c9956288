import Anabranch
import Foundation

@Entity
nonisolated final class Employee: ManagedObject {
    var name: String?
    var age: Int64
    var hired: Date?
    var boss: Employee?
    var reports: ManagedObjectSet<Employee>
    var projects: ManagedObjectSet<Project>
}

@Entity
nonisolated final class Project: ManagedObject {
    var title: String?
    var members: ManagedObjectSet<Employee>
}

@Entity
nonisolated final class Laptop: ManagedObject {
    var name: String?
    @Transformable var color: Color?
}

/// A value of a type that no attribute can store directly.
struct Color: Codable, Equatable {
    var red: Double
    var green: Double
    var blue: Double
}

enum CookbookModel {
    static let classes: [ManagedObject.Type] = [Employee.self, Project.self, Laptop.self]

    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Employee") {
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
                AttributeDeclaration("hired", .date)
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("boss", to: "Employee", inverse: "reports")
                RelationshipDeclaration("projects", toMany: "Project", inverse: "members")
                RelationshipDeclaration("reports", toMany: "Employee", inverse: "boss")
            }
            EntityDeclaration("Project") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("members", toMany: "Employee", inverse: "projects")
            }
            EntityDeclaration("Laptop") {
                AttributeDeclaration("color", .transformable, transformer: "ColorTransformer")
                AttributeDeclaration("name", .string)
            }
        }
    }
}
