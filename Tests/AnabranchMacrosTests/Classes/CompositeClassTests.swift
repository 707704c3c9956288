import Anabranch
import Foundation
import TestSupport
import Testing

/// Structs of composite attributes, a class and one below it that have them.
private enum Directory {
    enum Zone: Int16, AttributeValue {
        case cet = 1
        case utc = 2
        static var absent: Zone { .utc }
    }

    @Composite
    struct Place: Equatable {
        @Attribute(minimum: -90, maximum: 90) var latitude: Double
        let longitude: Double
        var zone: Zone? = .cet
    }

    @Composite
    struct Address: Equatable {
        static let empty = Address()
        var street: String?
        @Attribute(originalName: "town", maximum: 40) var city: String?
        var price: Decimal?
        var place: Place?
        var `in`: Bool?
        var line: String { "\(street ?? ""), \(city ?? "")" }
    }

    @Entity
    class Person: ManagedObject {
        var name: String?
        @Attribute(.composite, wireName: "home") var address: Address?
        var age: Int64 = 3
        @Relationship(inverse: "friends") var friends: ManagedObjectSet<Person>
    }

    @Entity
    final class Employee: Person {
        var badge: Int32
        @Attribute(.composite) var work: Place
        var boss: Person?
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64, optional: false, default: 3)
                CompositeAttribute("address", of: "Address", wireName: "home") {
                    AttributeDeclaration("street", .string)
                    AttributeDeclaration("city", .string, maximum: 40, renamingIdentifier: "town")
                    AttributeDeclaration("price", .decimal)
                    AttributeDeclaration("in", .boolean)
                    CompositeAttribute("place", of: "Place") { place() }
                }
                RelationshipDeclaration("friends", toMany: "Person", inverse: "friends")
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("badge", .integer32, optional: false)
                CompositeAttribute("work", of: "Place", optional: false) { place() }
                RelationshipDeclaration("boss", to: "Person")
            }
        }
    }

    @CompositeBuilder private static func place() -> [CompositeBuilder.Element] {
        AttributeDeclaration("latitude", .double, optional: false, minimum: -90, maximum: 90)
        AttributeDeclaration("longitude", .double, optional: false)
        AttributeDeclaration("zone", .integer16, default: 1)
    }
}

@Suite struct `Classes with composite attributes` {
    private let folder: TemporaryDirectory
    private let container: PersistentContainer

    init() throws {
        folder = try TemporaryDirectory("composites")
        container = try PersistentContainer(
            for: Directory.Person.self, Directory.Employee.self,
            url: URL(filePath: folder.file("people.store")))
        try container.load()
    }

    @Test func `are the same model as in Swift`() throws {
        let model = try ManagedObjectModel(
            classes: [Directory.Person.self, Directory.Employee.self])
        let written = try Directory.model()
        for (own, other) in zip(model.declaration.entities, written.declaration.entities) {
            #expect(own.compositeAttributes == other.compositeAttributes)
            #expect(own.attributes == other.attributes)
        }
    }

    @Test func `have structs as values, also after a save and in a sub-entity's class`() throws {
        let place = Directory.Place(latitude: 46.9, longitude: 7.4, zone: nil)
        let address = Directory.Address(
            street: "Spitalgasse", city: "Bern", price: 9.5, place: place, in: true)
        try container.newBackgroundContext().performAndWait { context in
            let person = try context.insert(Directory.Employee.self)
            // The default of an element makes no value of what may have none.
            #expect(person.address == nil && person.work.zone == .cet)
            person.address = address
            person.work = Directory.Place(latitude: 1, longitude: 2, zone: .utc)
            person.badge = 7
            person.name = "Ada"
            #expect(person.address == address && person["address.city"] == "Bern")
            try context.save()
        }
        try container.newBackgroundContext().performAndWait { context in
            let person = try #require(
                try context.fetch(FetchRequest<Directory.Employee>()).first)
            #expect(person.address == address && person.address?.line == "Spitalgasse, Bern")
            #expect(person.work == Directory.Place(latitude: 1, longitude: 2, zone: .utc))
            #expect(person.badge == 7 && person.age == 3 && person.boss == nil)
            person.address?.city = "Basel"
            #expect(person.address?.street == "Spitalgasse" && person.address?.city == "Basel")
            try context.save()
            person.address = nil
            #expect(person.address == nil && person["address.place.latitude"] == .null)
            person.address = Directory.Address(street: "Weg")
            #expect(person.address?.place == nil)
            person.address = .empty
            #expect(person.address == nil, "a struct of nils is no value")
            try context.save()
        }
    }

    @Test func `keep their value if an element can't be stored, and the save says why`() throws {
        try container.newBackgroundContext().performAndWait { context in
            let person = try context.insert(Directory.Person.self)
            person.address = Directory.Address(city: "Bern")
            person.address = Directory.Address(city: "Basel", price: Decimal.nan)
            #expect(person.address?.city == "Bern")
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.property == "address.price" && error?.code == .unrepresentable)
        }
    }
}
