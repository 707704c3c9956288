import Anabranch
import Foundation

/// The model of these tests: a hierarchy, and every kind of relationship and delete rule.
enum CompanyModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
                AttributeDeclaration("firstName", .string)
                AttributeDeclaration("lastName", .string)
                AttributeDeclaration("mood", .string, transient: true)
                AttributeDeclaration("salary", .decimal)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("company", to: "Company", inverse: "staff")
                RelationshipDeclaration(
                    "passport", to: "Passport", inverse: "holder", deleteRule: .cascade)
                RelationshipDeclaration("friends", toMany: "Person", inverse: "friends")
                RelationshipDeclaration("groups", toMany: "Group", inverse: "members")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("badge", .string)
            }
            EntityDeclaration("Company") {
                AttributeDeclaration("name", .string, optional: false)
                RelationshipDeclaration(
                    "departments", toMany: "Department", inverse: "company", deleteRule: .cascade)
                RelationshipDeclaration(
                    "staff", toMany: "Person", inverse: "company", deleteRule: .deny)
            }
            EntityDeclaration("Department") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration(
                    "company", to: "Company", optional: false, inverse: "departments")
                RelationshipDeclaration("rooms", toMany: "Room", inverse: "department")
            }
            EntityDeclaration("Room") {
                AttributeDeclaration("number", .integer32)
                RelationshipDeclaration(
                    "department", to: "Department", optional: false, inverse: "rooms")
            }
            EntityDeclaration("Group") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "groups")
            }
            EntityDeclaration("Passport") {
                AttributeDeclaration("number", .string)
                RelationshipDeclaration("holder", to: "Person", inverse: "passport")
            }
            EntityDeclaration("Sample") {
                AttributeDeclaration("big", .integer64)
                AttributeDeclaration("colour", .integer16)
                AttributeDeclaration("data", .binary)
                AttributeDeclaration("decimal", .decimal)
                AttributeDeclaration("double", .double)
                AttributeDeclaration("flag", .boolean)
                AttributeDeclaration("float", .float)
                AttributeDeclaration("medium", .integer32)
                AttributeDeclaration("moment", .date)
                AttributeDeclaration("small", .integer16)
                AttributeDeclaration("text", .string)
                AttributeDeclaration("token", .uuid)
                AttributeDeclaration("uri", .uri)
            }
        }
    }

    static let classes: [ManagedObject.Type] = [
        Person.self, Employee.self, Group.self, Passport.self, Sample.self,
    ]
}

class Person: ManagedObject {
    override class var entityName: String { "Person" }
    override class var slotNames: [String] {
        [
            "age", "firstName", "lastName", "mood", "salary", "boss", "company", "passport",
            "friends", "groups", "reports",
        ]
    }

    var age: Int64 {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var firstName: String? {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    var lastName: String? {
        get { self[slot: 2] }
        set { self[slot: 2] = newValue }
    }
    var mood: String? {
        get { self[slot: 3] }
        set { self[slot: 3] = newValue }
    }
    var salary: Decimal? {
        get { self[slot: 4] }
        set { self[slot: 4] = newValue }
    }
    var boss: Person? {
        get { self[toOne: 5] }
        set { self[toOne: 5] = newValue }
    }
    var company: ManagedObject? {
        get { self[toOne: 6] }
        set { self[toOne: 6] = newValue }
    }
    var passport: Passport? {
        get { self[toOne: 7] }
        set { self[toOne: 7] = newValue }
    }
    var friends: ManagedObjectSet<Person> { self[toMany: 8] }
    var groups: ManagedObjectSet<Group> { self[toMany: 9] }
    var reports: ManagedObjectSet<Person> { self[toMany: 10] }

    /// The calls of the hooks, in order.
    var calls: [String] = []
    var onWillSave: (Person) -> Void = { _ in }
    override func awakeFromInsert() { calls.append("insert \(age)") }
    override func awakeFromFetch() { calls.append("fetch") }
    override func prepareForDeletion() { calls.append("prepare \(reports.count)") }
    override func willSave() {
        calls.append("will")
        onWillSave(self)
    }
    override func didSave() { calls.append("did") }
    override func willTurnIntoFault() { calls.append("willFault") }
    override func didTurnIntoFault() { calls.append("didFault") }
}

final class Employee: Person {
    override class var entityName: String { "Employee" }
    override class var slotNames: [String] { super.slotNames + ["badge"] }
    var badge: String? {
        get { self[slot: 11] }
        set { self[slot: 11] = newValue }
    }
}

final class Group: ManagedObject {
    override class var entityName: String { "Group" }
    override class var slotNames: [String] { ["title", "members"] }
    var title: String? {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var members: ManagedObjectSet<Person> { self[toMany: 1] }
}

final class Passport: ManagedObject {
    override class var entityName: String { "Passport" }
    override class var slotNames: [String] { ["number", "holder"] }
    var number: String? {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var holder: Person? {
        get { self[toOne: 1] }
        set { self[toOne: 1] = newValue }
    }
}

enum Colour: Int16, AttributeValue, Codable {
    case red = 1
    case green = 2
    static var absent: Colour { .red }
}

final class Sample: ManagedObject {
    override class var entityName: String { "Sample" }
    override class var slotNames: [String] {
        [
            "big", "colour", "data", "decimal", "double", "flag", "float", "medium", "moment",
            "small", "text", "token", "uri",
        ]
    }
    var big: Int {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var colour: Colour? {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    var data: Data {
        get { self[slot: 2] }
        set { self[slot: 2] = newValue }
    }
    var decimal: Decimal {
        get { self[slot: 3] }
        set { self[slot: 3] = newValue }
    }
    var double: Double {
        get { self[slot: 4] }
        set { self[slot: 4] = newValue }
    }
    var flag: Bool {
        get { self[slot: 5] }
        set { self[slot: 5] = newValue }
    }
    var float: Float {
        get { self[slot: 6] }
        set { self[slot: 6] = newValue }
    }
    var medium: Int32 {
        get { self[slot: 7] }
        set { self[slot: 7] = newValue }
    }
    var moment: Date {
        get { self[slot: 8] }
        set { self[slot: 8] = newValue }
    }
    var small: Int16 {
        get { self[slot: 9] }
        set { self[slot: 9] = newValue }
    }
    var text: String {
        get { self[slot: 10] }
        set { self[slot: 10] = newValue }
    }
    var token: UUID {
        get { self[slot: 11] }
        set { self[slot: 11] = newValue }
    }
    var uri: URL {
        get { self[slot: 12] }
        set { self[slot: 12] = newValue }
    }
}
