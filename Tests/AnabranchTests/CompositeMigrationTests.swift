import Anabranch
import Foundation
import TestSupport
import Testing

/// Tests of what the next version of a model does to composite attributes and to the names of
/// objects.
@Suite struct `A migration of composite attributes` {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("composite-migration") }

    /// The entity and its attribute have other names, and another element.
    private static func nextVersion() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Customer", renamingIdentifier: "Person") {
                AttributeDeclaration("name", .string)
                CompositeAttribute("home", renamingIdentifier: "address") {
                    AttributeDeclaration("street", .string)
                    AttributeDeclaration("town", .string, maximum: 10, renamingIdentifier: "city")
                    AttributeDeclaration("country", .string, default: "Switzerland")
                    CompositeAttribute("location") {
                        AttributeDeclaration("latitude", .double, optional: false)
                        AttributeDeclaration("longitude", .double, optional: false)
                    }
                }
                RelationshipDeclaration("boss", to: "Customer", inverse: "staff")
                RelationshipDeclaration("staff", toMany: "Customer", inverse: "boss")
            }
        }
    }

    private func open(_ model: ManagedObjectModel) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: model, classes: [], url: URL(filePath: directory.file("people.anabranch")))
        try container.load()
        return container
    }

    /// Fills a store of the first version.
    ///
    /// - Returns: The URI of the person with an address.
    private func fill() throws -> URL {
        let container = try open(CompositeModel.make())
        defer { container.coordinator.close() }
        return try container.newBackgroundContext().performAndWait { context throws in
            let anna = try context.insert("Person")
            anna["name"] = "Anna"
            try anna.setCompositeValue(
                [
                    "street": "Spitalgasse", "city": "Bern", "number": 4,
                    "location.latitude": 46.9, "location.longitude": 7.4,
                ], forKey: "address")
            let bob = try context.insert("Person")
            bob["name"] = "Bob"
            try context.save()
            return anna.objectID.uriRepresentation
        }
    }

    @Test func `keeps the elements under other names, and shows defaults of new ones`() throws {
        _ = try fill()
        let container = try open(Self.nextVersion())
        try container.newBackgroundContext().performAndWait { context throws in
            var request = FetchRequest<ManagedObject>(entityName: "Customer")
            request.sorts = [FetchSort("name")]
            let people = try context.fetch(request)
            #expect(people.map { $0["name"] } == ["Anna", "Bob"])
            #expect(
                try people.first?.compositeValue(forKey: "home")
                    == [
                        "street": "Spitalgasse", "town": "Bern", "country": "Switzerland",
                        "location.latitude": 46.9, "location.longitude": 7.4,
                    ])
        }
        #expect(try container.coordinator.checkFile().isValid)
    }

    @Test func `and back shows the element that the later version lacks`() throws {
        _ = try fill()
        try open(Self.nextVersion()).coordinator.close()
        let container = try open(CompositeModel.make())
        try container.newBackgroundContext().performAndWait { context throws in
            let people = try context.addressees()
            #expect(people.first?["address.number"] == 4)
            #expect(try people.last?.compositeValue(forKey: "address") == nil)
        }
        #expect(try container.coordinator.checkFile().isValid)
    }

    @Test func `leaves the URI of an object as it was`() throws {
        let uri = try fill()
        let coordinator = try open(Self.nextVersion()).coordinator
        let id = try #require(try coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(id.entity.name == "Customer")
        #expect(id.uriRepresentation == uri)
        // A text with the present name of the entity names the object too.
        let typed = try #require(
            URL(string: uri.absoluteString.replacing("/Person/", with: "/Customer/")))
        #expect(try coordinator.managedObjectID(forURIRepresentation: typed) == id)
    }

    @Test func `forms and reads a URI whatever the wire name has in it`() throws {
        let name = "a/b ?#%ü.."
        let model = try ManagedObjectModel { EntityDeclaration("Note", wireName: name) {} }
        let container = PersistentContainer(
            model: model, storeDescription: .inMemory(named: UUID().uuidString))
        try container.load()
        try container.newBackgroundContext().performAndWait { context throws in
            let note = try context.insert("Note")
            let uri = note.objectID.uriRepresentation
            #expect(
                try context.coordinator.managedObjectID(forURIRepresentation: uri) == note.objectID)
        }
    }
}
