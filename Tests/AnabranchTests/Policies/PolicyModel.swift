import Anabranch
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// A model of accounts with every kind of property that a merge handles.
enum PolicyModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Account") {
                for name in ["a", "b", "c"] { AttributeDeclaration(name, .integer64) }
                AttributeDeclaration("visits", .integer64, mergeRule: .counter)
                AttributeDeclaration("best", .integer64, mergeRule: .max)
                AttributeDeclaration("opened", .integer64, mergeRule: .firstWriter)
                AttributeDeclaration("start", .integer64)
                AttributeDeclaration("end", .integer64)
                AttributeDeclaration("level", .integer64, default: 7)
                AttributeDeclaration("code", .string)
                AttributeDeclaration("email", .string)
                AttributeDeclaration("name", .string)
                AttributeDeclaration("draft", .string, transient: true)
                AttributeGroup("span", attributes: ["start", "end"])
                RelationshipDeclaration("bank", to: "Bank", inverse: "accounts")
                RelationshipDeclaration("tags", toMany: "Tag", inverse: "accounts")
                RelationshipDeclaration(
                    "steps", toMany: "Step", ordered: true, inverse: "account",
                    deleteRule: .cascade)
                RelationshipDeclaration("access", to: "Access", inverse: "account")
                UniquenessConstraint("code")
                UniquenessConstraint("email")
            }
            EntityDeclaration("Premium", parent: "Account") {
                AttributeDeclaration("perk", .string)
            }
            EntityDeclaration("Bank") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("accounts", toMany: "Account", inverse: "bank")
            }
            EntityDeclaration("Tag") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("accounts", toMany: "Account", inverse: "tags")
            }
            EntityDeclaration("Step") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("account", to: "Account", inverse: "steps")
            }
            // The name of this side is the smaller one, so the reference is stored here.
            EntityDeclaration("Access") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("account", to: "Account", inverse: "access")
            }
            EntityDeclaration("Note") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("about", to: "Account")
            }
        }
    }
}

/// A store of that model, with helpers for contexts.
final class Ledger: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("ledger")
        container = PersistentContainer(
            model: try PolicyModel.make(), url: URL(filePath: directory.file("ledger.anabranch")))
        try container.load()
    }

    var coordinator: PersistentStoreCoordinator { container.coordinator }
    /// The number of SELECT statements that the readers have run.
    var readStatements: Int { coordinator.store.readStatistics.selects }

    /// Runs a block in a context with a merge policy.
    func inContext<T>(
        _ policy: any MergePolicy = .error,
        _ body: (ManagedObjectContext) throws -> sending T
    ) throws -> sending T {
        try container.newBackgroundContext().performAndWait { context in
            context.mergePolicy = policy
            return try body(context)
        }
    }

    /// Changes objects in another context, and saves.
    func elsewhere(_ body: (ManagedObjectContext) throws -> Void) throws {
        try inContext { context throws in
            try body(context)
            try context.save()
        }
    }

    /// Saves an account and returns its ID.
    @discardableResult
    func account(
        _ values: [String: PropertyValue], _ entity: String = "Account"
    ) throws -> ManagedObjectID {
        try inContext { context throws in
            let account = try context.make(entity, values)
            try context.save()
            return account.objectID
        }
    }

    /// Returns the stored values of an object.
    func stored(_ id: ManagedObjectID, _ keys: String...) throws -> [PropertyValue] {
        try inContext { context throws in
            let object = try context.existingObject(with: id)
            return try keys.map { try object.value(forKey: $0) }
        }
    }

    func exists(_ id: ManagedObjectID) throws -> Bool {
        try inContext { context throws in (try? context.existingObject(with: id)) != nil }
    }

    /// Returns the number of accounts.
    func accountCount() throws -> Int {
        try inContext { context throws in
            try context.count(for: FetchRequest<ManagedObject>(entityName: "Account"))
        }
    }
}

extension ManagedObjectContext {
    func make(_ entity: String, _ values: [String: PropertyValue]) throws -> ManagedObject {
        let object = try insert(entity)
        try object.set(values)
        return object
    }

    /// Returns the object of an ID after reading it.
    func read(_ id: ManagedObjectID) throws -> ManagedObject { try existingObject(with: id) }
}

extension ManagedObject {
    func set(_ values: [String: PropertyValue]) throws {
        for (key, value) in values { try setValue(value, forKey: key) }
    }

    func values(_ keys: String...) throws -> [PropertyValue] {
        try keys.map { try value(forKey: $0) }
    }

    /// Returns the names of the members of a to-many.
    func names(_ key: String) throws -> [String] {
        try objects(forKey: key).objects.map { try $0.givenName }
    }

    var givenName: String {
        get throws {
            if case .string(let name) = try value(forKey: "name") { name } else { "" }
        }
    }
}

/// The standard policies, by name.
enum Policy: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case error, storeTrump, objectTrump, overwrite, rollback

    var policy: any MergePolicy {
        switch self {
        case .error: .error
        case .storeTrump: .mergeByPropertyStoreTrump
        case .objectTrump: .mergeByPropertyObjectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }

    static let resolving = allCases.filter { $0 != .error }
    var isOfContext: Bool { self == .objectTrump || self == .overwrite }
    var testDescription: String { rawValue }
}
