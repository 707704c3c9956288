import Anabranch
import Foundation
import TestSupport

/// A model of people with an address and its place on the map.
enum CompositeModel {
    static func make(addressIsOptional: Bool = true) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                CompositeAttribute("address", optional: addressIsOptional) {
                    AttributeDeclaration("street", .string)
                    AttributeDeclaration("city", .string, maximum: 10)
                    AttributeDeclaration("number", .integer16)
                    CompositeAttribute("location") {
                        AttributeDeclaration("latitude", .double, optional: false)
                        AttributeDeclaration("longitude", .double, optional: false)
                    }
                }
                RelationshipDeclaration("boss", to: "Person", inverse: "staff")
                RelationshipDeclaration("staff", toMany: "Person", inverse: "boss")
            }
        }
    }
}

/// A store of that model, without a class for its objects.
final class AddressBook: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init(_ model: ManagedObjectModel) throws {
        directory = try TemporaryDirectory("composites")
        container = PersistentContainer(
            model: model, classes: [], url: URL(filePath: directory.file("people.anabranch")))
        try container.load()
    }

    convenience init() throws { try self.init(CompositeModel.make()) }

    var coordinator: PersistentStoreCoordinator { container.coordinator }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }
}

extension ManagedObjectContext {
    func addressees(
        _ format: String? = nil, by sorts: [FetchSort] = [FetchSort("name")]
    ) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request.predicate = try format.map { try FetchPredicate($0) }
        request.sorts = sorts
        return try fetch(request)
    }
}
