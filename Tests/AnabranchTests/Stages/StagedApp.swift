import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// An app with four versions of its model, and its stores in a temporary folder.
///
/// | version | difference |
/// |---|---|
/// | 1 | a Person has a name, an age and an Address |
/// | 2 | `age` is renamed `years`, `nickname` is added |
/// | 3 | `name` is split, the street is the Person's, and the Address is removed: a custom stage |
/// | 4 | `email` is added |
struct StagedApp {
    typealias Completion = @Sendable (ManagedObjectContext, FormerRecords) throws -> Void
    typealias Preparation = @Sendable (ManagedObjectContext) throws -> Void

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("stages") }

    static let label = "Split the names"

    static func model(_ version: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration(
                    version == 1 ? "age" : "years", .integer64, renamingIdentifier: "age")
                if version > 1 { AttributeDeclaration("nickname", .string) }
                if version > 3 { AttributeDeclaration("email", .string) }
                if version < 3 {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("address", to: "Address", inverse: "residents")
                } else {
                    AttributeDeclaration("familyName", .string)
                    AttributeDeclaration("givenName", .string)
                    AttributeDeclaration("street", .string)
                }
            }
            if version < 3 {
                EntityDeclaration("Address") {
                    AttributeDeclaration("street", .string)
                    RelationshipDeclaration("residents", toMany: "Person", inverse: "address")
                }
            }
        }
    }

    static func version(_ number: Int) -> ManagedObjectModelReference {
        ManagedObjectModelReference("V\(number)") { try model(number) }
    }

    /// Splits the names, and copies the streets from the records of the removed entity.
    static let complete: Completion = { context, former in
        for person in try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")) {
            let name: String? = try former.value(forKey: "name", of: person)
            let words = name?.split(separator: " ").map(String.init) ?? []
            try person.setValue(words.first, forKey: "givenName")
            try person.setValue(words.dropFirst().last, forKey: "familyName")
            if let address = try former.record(of: person)?.target(forKey: "address") {
                let street = try former.record(address)?.value(forKey: "street", as: String?.self)
                try person.setValue(street ?? nil, forKey: "street")
            }
        }
    }

    static func stages(
        didMigrate: Completion? = complete, willMigrate: Preparation? = nil
    ) -> StagedMigration {
        StagedMigration([
            .lightweight([version(1), version(2)]),
            .custom(
                label, from: version(2), to: version(3), willMigrate: willMigrate,
                didMigrate: didMigrate),
            .lightweight([version(3), version(4)]),
        ])
    }

    func url(_ name: String = "a") -> URL { directory.url.appending(path: "\(name).store") }

    func open(
        _ name: String = "a", version: Int = 4, _ stages: StagedMigration? = Self.stages(),
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var description = PersistentStoreDescription(url: url(name))
        description.stagedMigration = stages
        change(&description)
        let container = PersistentContainer(
            model: try Self.model(version), storeDescription: description)
        try container.load()
        return container
    }

    /// Creates a store with the same two people in any version.
    func fill(_ name: String = "a", version: Int = 1) throws {
        let container = try open(name, version: version, nil)
        try Self.fill(container, version: version)
        container.coordinator.close()
    }

    static func fill(_ container: PersistentContainer, version: Int) throws {
        try container.newBackgroundContext().performAndWait { context in
            let (anna, bob) = (try context.insert("Person"), try context.insert("Person"))
            try anna.setValue(30, forKey: version == 1 ? "age" : "years")
            if version < 3 {
                let address = try context.insert("Address")
                try address.setValue("Main Street", forKey: "street")
                try anna.setObject(address, forKey: "address")
                try anna.setValue("Anna Berg", forKey: "name")
                try bob.setValue("Bob", forKey: "name")
            } else {
                try anna.setValue("Anna", forKey: "givenName")
                try anna.setValue("Berg", forKey: "familyName")
                try anna.setValue("Main Street", forKey: "street")
                try bob.setValue("Bob", forKey: "givenName")
            }
            try context.save()
        }
    }

    /// The people of a store of version 3 or 4, each as a line, in the order of their names.
    static func people(_ container: PersistentContainer) throws -> [String] {
        try container.newBackgroundContext().performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map { person in
                ["givenName", "familyName", "years", "street"].map { "\(person[$0])" }
                    .joined(separator: " ")
            }.sorted()
        }
    }

    /// The lines of the two people after the migration.
    static func expectedPeople() throws -> [String] {
        let container = PersistentContainer(model: try model(4), storeDescription: .inMemory)
        try container.load()
        try fill(container, version: 4)
        return try people(container)
    }

    /// The authors of all saves.
    static func authors(_ container: PersistentContainer) throws -> [String] {
        try container.coordinator.history().map(\.author)
    }

    /// Expects a store with the two people that has run the custom stage once.
    static func expectMigrated(_ container: PersistentContainer) throws {
        #expect(try people(container) == expectedPeople())
        #expect(try authors(container) == ["", "migration"])
        #expect(try container.coordinator.checkFile().isValid)
        #expect(container.coordinator.pendingMigrationStage == nil)
    }
}

/// Expects a store error, and returns it.
func stageError(_ body: () throws -> Void) -> StoreError? {
    #expect(throws: StoreError.self, performing: body)
}
