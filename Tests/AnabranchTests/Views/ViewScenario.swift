import Anabranch
import AnabranchModel
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Two stores with contexts that show the view rules, and a zone between them.
final class ViewScenario {
    let folder: TemporaryDirectory
    let model: ManagedObjectModel
    let first: PersistentContainer
    let second: PersistentContainer
    let zone = Zone()

    init(_ model: ManagedObjectModel) throws {
        self.model = model
        folder = try TemporaryDirectory("views")
        first = try Self.open("first", in: folder, model)
        second = try Self.open("second", in: folder, model)
    }

    private static func open(
        _ name: String, in folder: TemporaryDirectory, _ model: ManagedObjectModel
    ) throws -> PersistentContainer {
        let container = PersistentContainer(model: model, url: URL(filePath: folder.file(name)))
        try container.load()
        return container
    }

    func open(_ name: String) throws -> PersistentContainer {
        try Self.open(name, in: folder, model)
    }

    static func folders() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Folder", deletePolicy: .updateWins) {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("parent", to: "Folder", acyclic: true, inverse: "children")
                RelationshipDeclaration("children", toMany: "Folder", inverse: "parent")
                RelationshipDeclaration("desk", to: "Desk", inverse: "owner")
                RelationshipDeclaration(
                    "notes", toMany: "Note", inverse: "folder", deleteRule: .cascade)
            }
            EntityDeclaration("Desk") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("owner", to: "Folder", inverse: "desk")
            }
            EntityDeclaration("Note") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("folder", to: "Folder", inverse: "notes")
            }
        }
    }

    /// Syncs both stores to one state, without a notification to any context.
    @discardableResult
    func exchange() throws -> [ChangedRecords] {
        try [first, second, first].map { try zone.exchange($0.coordinator) }
    }

    /// Runs a block in a new context and saves.
    func save(
        _ container: PersistentContainer, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        // This makes the stamps of later saves greater.
        Thread.sleep(forTimeInterval: 0.002)
        try container.newBackgroundContext().performAndWait { context in
            try body(context)
            try context.save()
        }
    }

    func read<T>(
        _ container: PersistentContainer, _ body: (ManagedObjectContext) throws -> sending T
    ) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }
}

extension ManagedObjectContext {
    @discardableResult
    func make(_ entity: String, _ name: String) throws -> ManagedObject {
        let object = try insert(entity)
        try object.setValue(.string(name), forKey: "name")
        return object
    }

    /// Returns the only object of a name.
    func named(_ name: String, _ entity: String) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try FetchPredicate("name == %@", name)
        let found = try fetch(request)
        return try #require(found.count == 1 ? found.first : nil, "\(found.count) of \(name)")
    }
}

extension ManagedObject {
    /// Returns the name of the object at the other end of a to-one.
    func target(_ key: String) throws -> String? {
        guard let object = try object(forKey: key) else { return nil }
        guard case .string(let name) = try object.value(forKey: "name") else { return "" }
        return name
    }
}

extension ViewScenario {
    /// Stores of a model in which every view rule can hide something.
    static func hiding() throws -> ViewScenario {
        try ViewScenario(
            ManagedObjectModel {
                EntityDeclaration("Tag") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("note", .string)
                    AttributeDeclaration("text", .string, mergeRule: .keepBoth)
                    UniquenessConstraint("name")
                }
                EntityDeclaration("Car") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("driver", to: "Driver", inverse: "car")
                }
                EntityDeclaration("Driver") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("car", to: "Car", inverse: "driver")
                }
                EntityDeclaration("Folder") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration(
                        "parent", to: "Folder", acyclic: true, inverse: "folders")
                    RelationshipDeclaration("folders", toMany: "Folder", inverse: "parent")
                }
            })
    }
}
