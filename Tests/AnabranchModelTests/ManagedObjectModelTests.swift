import AnabranchModel
import AnabranchReplication
import Testing

struct ManagedObjectModelTests {
    private let model: ManagedObjectModel

    init() throws { model = try ManagedObjectModel(entities: ModelExamples.office) }

    @Test func `entities are sorted by name bytes and know their place`() {
        #expect(model.entities.map(\.name) == ["Desk", "Employee", "Person", "Project", "Tag"])
        #expect(model.entities.map(\.index) == [0, 1, 2, 3, 4])
        #expect(model.entity(named: "desk") == nil)
        #expect(model.entity(wireName: "Table")?.name == "Desk")
    }

    @Test func `slots are the parent's, then attributes, to-one and to-many by name`() throws {
        let employee = try model.required("Employee")
        #expect(
            employee.slots.map(\.name) == [
                "born", "cache", "email", "name", "rate", "salary", "boss", "desk", "projects",
                "reports",
            ])
        #expect(employee.slots.map(\.slot) == Array(0..<10))
        #expect(employee.slotIndex(named: "salary") == 5)
        #expect(employee.slotIndex(named: "absent") == nil)
        #expect(employee.attributes.map(\.name).last == "salary")
        #expect(employee.relationships.map(\.name) == ["boss", "desk", "projects", "reports"])
    }

    @Test func `an inherited property is one object with one slot`() throws {
        let inherited = try model.attribute("Employee", "email")
        #expect(try inherited == model.attribute("Person", "email"))
        #expect(inherited.entity.name == "Person")
        #expect(inherited.description == "Person.email")
    }

    @Test func `the hierarchy is known from both ends`() throws {
        let person = try model.required("Person")
        let employee = try model.required("Employee")
        #expect(employee.superentity == person)
        #expect(employee.root == person)
        #expect(person.root == person)
        #expect(person.subentities == [employee])
        #expect(person.hierarchy == [person, employee])
        #expect(employee.isKind(of: person) && employee.isKind(of: employee))
        #expect(!person.isKind(of: employee))
        #expect(try !employee.isKind(of: model.required("Desk")))
        #expect(person.isAbstract && !employee.isAbstract)
    }

    @Test func `an entity of another model is never of a kind`() throws {
        let other = try ManagedObjectModel(entities: ModelExamples.office)
        #expect(try !model.required("Employee").isKind(of: other.required("Person")))
    }

    @Test func `inverses find each other`() throws {
        let boss = try model.relationship("Employee", "boss")
        let reports = try model.relationship("Employee", "reports")
        #expect(boss.inverse == reports && reports.inverse == boss)
        #expect(boss.destination.name == "Employee")
        #expect(try model.relationship("Project", "tags").inverse == nil)
        let similar = try model.relationship("Project", "similar")
        #expect(similar.inverse == similar)
    }

    @Test func `defaults have the case of their type`() throws {
        #expect(try model.attribute("Employee", "salary").defaultValue == .decimal(.zero))
        #expect(try model.attribute("Employee", "rate").defaultValue == .double(1.5))
        #expect(try model.attribute("Desk", "number").defaultValue == .integer(1))
        #expect(try model.attribute("Project", "active").defaultValue == .bool(true))
        #expect(try model.attribute("Person", "born").defaultValue == .null)
    }

    @Test func `wire properties carry name, type and rule`() throws {
        #expect(
            try model.attribute("Project", "title").wireProperty
                == WireProperty(name: "label", type: .string))
        #expect(
            try model.relationship("Employee", "reports").wireProperty
                == WireProperty(name: "boss", type: .reference))
        #expect(
            try model.relationship("Project", "members").wireProperty
                == WireProperty(name: "projects", type: .links, rule: .set))
    }

    @Test func `only what is sent is found by its wire name`() throws {
        let employee = try model.required("Employee")
        #expect(employee.property(wireName: "boss")?.name == "boss")
        #expect(employee.property(wireName: "reports") == nil)
        #expect(employee.property(wireName: "cache") == nil)
        #expect(try model.required("Project").property(wireName: "label")?.name == "title")
        #expect(try model.required("Project").property(wireName: "title") == nil)
    }

    @Test func `constraints are inherited, indexes are where they are declared`() throws {
        let employee = try model.required("Employee")
        #expect(
            employee.uniquenessConstraints.map { $0.map(\.name) } == [["email"], ["name", "born"]])
        #expect(employee.ownUniquenessConstraints.isEmpty)
        #expect(employee.indexes.map(\.name) == ["bySalary"])
        #expect(employee.indexes[0].elements.map(\.property.name) == ["salary", "name"])
        #expect(try model.required("Project").indexes[0].elements.map(\.isAscending) == [false])
    }

    @Test func `a relationship without an inverse is a warning`() {
        #expect(model.warnings.map(\.code) == [.missingInverse, .missingInverse])
        #expect(Set(model.warnings.map(\.property)) == ["tags", "lead"])
    }

    @Test func `builders take conditions and loops`() throws {
        let isWide = true
        let model = try ManagedObjectModel {
            for number in 1...3 {
                EntityDeclaration("Entity\(number)") {
                    if isWide {
                        AttributeDeclaration("extra", .uuid)
                    } else {
                        AttributeDeclaration("other", .uri)
                    }
                    for letter in ["a", "b"] { AttributeDeclaration(letter, .double) }
                }
            }
            if isWide { EntityDeclaration("Last") }
        }
        #expect(model.entities.map(\.name) == ["Entity1", "Entity2", "Entity3", "Last"])
        #expect(try model.required("Entity2").slots.map(\.name) == ["a", "b", "extra"])
    }
}
