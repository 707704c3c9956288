import AnabranchModel
import AnabranchReplication
import Testing

enum ModelExamples {
    /// A model with inheritance, one-to-many, one-to-one, many-to-many and constraints.
    static let office: [EntityDeclaration] = [
        EntityDeclaration("Person", isAbstract: true, userInfo: ["owner": "staff"]) {
            AttributeDeclaration("name", .string, optional: false, minimum: 1, maximum: 80)
            AttributeDeclaration("email", .string, regularExpression: "[^@]+@[^@]+")
            AttributeDeclaration("born", .date)
            AttributeDeclaration("cache", .undefined, transient: true)
            UniquenessConstraint("email")
            UniquenessConstraint("name", "born")
        },
        EntityDeclaration("Employee", parent: "Person", representedClassName: "Office.Employee") {
            AttributeDeclaration("salary", .decimal, optional: false, default: 0, minimum: 0)
            AttributeDeclaration("rate", .float, default: 1.5)
            RelationshipDeclaration("boss", to: "Employee", inverse: "reports")
            RelationshipDeclaration(
                "reports", toMany: "Employee", inverse: "boss", deleteRule: .deny)
            RelationshipDeclaration("desk", to: "Desk", inverse: "user", deleteRule: .cascade)
            RelationshipDeclaration("projects", toMany: "Project", maxCount: 12, inverse: "members")
            IndexDeclaration("bySalary", on: "salary", "name")
        },
        EntityDeclaration("Desk", renamingIdentifier: "Table") {
            AttributeDeclaration("number", .integer16, optional: false, default: 1)
            RelationshipDeclaration("user", to: "Employee", inverse: "desk")
        },
        EntityDeclaration("Project") {
            AttributeDeclaration("title", .string, default: "", wireName: "label")
            AttributeDeclaration("active", .boolean, default: true)
            RelationshipDeclaration("members", toMany: "Employee", inverse: "projects")
            RelationshipDeclaration("similar", toMany: "Project", inverse: "similar")
            RelationshipDeclaration("tags", toMany: "Tag")
            RelationshipDeclaration("lead", to: "Person", inverse: nil)
            IndexDeclaration(
                "byTitle", elements: [IndexDeclaration.Element("title", ascending: false)])
        },
        EntityDeclaration("Tag") { AttributeDeclaration("text", .string) },
    ]
}

extension ManagedObjectModel {
    func required(_ name: String) throws -> EntityDescription {
        try #require(entity(named: name))
    }

    func relationship(_ entity: String, _ name: String) throws -> RelationshipDescription {
        try #require(required(entity).property(named: name)?.relationship)
    }

    func attribute(_ entity: String, _ name: String) throws -> AttributeDescription {
        try #require(required(entity).property(named: name)?.attribute)
    }
}

/// Returns the error of creating a model of the entities.
func refusal(@ModelBuilder _ content: () -> [EntityDeclaration]) throws -> ModelError {
    try #require(throws: ModelError.self) { try ManagedObjectModel(entities: content()) }
}
