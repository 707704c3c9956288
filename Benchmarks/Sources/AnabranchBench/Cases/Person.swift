import Anabranch
import Foundation

/// The object that most benchmarks insert, change and read.
@Entity
final class Person: ManagedObject {
    var age: Int64
    var firstName: String?
    var lastName: String?

    /// A sum that depends on every attribute, which proves that all were read.
    var checksum: Int64 {
        age &+ Int64(firstName?.utf8.count ?? 0) &+ Int64(lastName?.utf8.count ?? 0)
    }
}

enum PersonStore {
    static var entity: EntityDeclaration {
        EntityDeclaration("Person") {
            AttributeDeclaration("age", .integer64)
            AttributeDeclaration("firstName", .string)
            AttributeDeclaration("lastName", .string)
            IndexDeclaration("byAge", on: "age")
        }
    }

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel { entity } }

    static func open(_ path: String) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try model(), classes: [Person.self], url: URL(fileURLWithPath: path))
        try container.load()
        return container
    }

    /// Opens a store with all persons of the data.
    static func open(_ path: String, filledWith data: PeopleData) throws -> PersistentContainer {
        let container = try open(path)
        try container.newBackgroundContext().performAndWait { try insert(data, into: $0) }
        return container
    }

    /// Inserts and saves persons, all or those of some rows, in one change set.
    static func insert(
        _ data: PeopleData, rows: Range<Int>? = nil, into context: ManagedObjectContext
    ) throws {
        for row in rows ?? 0..<data.count {
            let person = try context.insert(Person.self)
            person.age = data.ages[row]
            person.firstName = data.firstNames[row]
            person.lastName = data.lastNames[row]
        }
        try context.save()
    }
}
