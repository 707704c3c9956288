public import Anabranch
import Foundation

/// Classes written with `@Entity`, and their model.
enum Staff {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("age", .integer64, optional: false, default: 18)
                AttributeDeclaration("born", .date)
                AttributeDeclaration("hands", .transformable)
                AttributeDeclaration("in", .boolean, optional: false, default: false)
                AttributeDeclaration("mood", .integer16)
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("desk", to: "Furniture", inverse: "user")
                RelationshipDeclaration("friends", toMany: "Person", inverse: "friends")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            }
            EntityDeclaration("Engineer", parent: "Person") {
                AttributeDeclaration("badge", .string)
                AttributeDeclaration("level", .integer32)
                RelationshipDeclaration("mentor", to: "Engineer", inverse: "pupils")
                RelationshipDeclaration("pupils", toMany: "Engineer", inverse: "mentor")
            }
            EntityDeclaration("Chief", parent: "Engineer") {
                AttributeDeclaration("budget", .decimal)
            }
            EntityDeclaration("Furniture") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("user", to: "Person", inverse: "desk")
            }
        }
    }

    static let classes: [ManagedObject.Type] = [
        Person.self, Engineer.self, Chief.self, Desk.self,
    ]

    enum Mood: Int16, AttributeValue {
        case calm = 1
        case cross = 2
        static var absent: Mood { .calm }
    }

    enum Hand: String, Codable { case left, right }

    @Entity
    class Person: ManagedObject {
        // The order and the style differ from those of the slots on purpose.
        var reports: ManagedObjectSet<Staff.Person>
        var name: String?
        fileprivate(set) var age: Int64
        var `in`: Bool
        @Attribute var mood: Mood?
        @Transformable var hands: [Hand: String]?
        var boss: Person?
        var born: Foundation.Date?
        @Relationship
        var desk: Optional<Desk>
        var friends: Anabranch.ManagedObjectSet<Person>

        static let oldest: Int64 = 150
        let unit = "years"
        lazy var greeting: String = "Hello, \(name ?? "you")"
        @Transient var calls: [String] = []
        var label: String { "\(name ?? "?"), \(age) \(unit)" }
        override func awakeFromInsert() { calls.append("insert \(age)") }

        func celebrate() {
            let years: Int64 = 1
            age += years
        }
    }

    @Entity
    class Engineer: Person {
        var pupils: ManagedObjectSet<Engineer>
        var level: Int32
        var mentor: Engineer?
        var badge: String?
    }

    @Entity
    final class Chief: Engineer { var budget: Decimal }

    @Entity("Furniture")
    final class Desk: ManagedObject {
        var title: String?
        var user: Person?
    }

    /// A class that lacks attributes and relationships of its entity.
    @Entity("Person")
    final class Half: ManagedObject { var age: Int64 }

    /// A class with an attribute that its entity lacks.
    @Entity("Furniture")
    final class Stool: ManagedObject {
        var legs: Int16
        var title: String?
        var user: Person?
    }

    /// A class of a sub-entity that is not a subclass of the super-entity's class.
    @Entity("Engineer")
    final class Stray: ManagedObject { var badge: String? }
}

/// A public class. The generated members are public too.
@Entity("Person")
public final class PublicPerson: ManagedObject { public var age: Int64 }
