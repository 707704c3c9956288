import Anabranch
import Foundation
import TestSupport

/// A model of things with every kind of attribute and relationship that an undo has to restore.
enum UndoModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("count", .integer64, optional: false, default: 0)
                AttributeDeclaration(
                    "hits", .integer64, optional: false, default: 0, mergeRule: .counter)
                AttributeDeclaration("mood", .string, transient: true)
                AttributeDeclaration("name", .string)
                AttributeDeclaration("x", .integer32)
                AttributeDeclaration("y", .integer32)
                AttributeGroup("place", attributes: ["x", "y"])
                RelationshipDeclaration(
                    "badge", to: "Badge", inverse: "holder", deleteRule: .cascade)
                RelationshipDeclaration("cursor", to: "Step", transient: true, inverse: "readers")
                RelationshipDeclaration("leader", to: "Thing", transient: true, inverse: "crew")
                RelationshipDeclaration("owner", to: "Thing", inverse: "parts")
                RelationshipDeclaration("partner", to: "Thing", transient: true, inverse: "partner")
                RelationshipDeclaration("spouse", to: "Thing", inverse: "spouse")
                RelationshipDeclaration("warden", to: "Thing", inverse: "wards")
                RelationshipDeclaration(
                    "crew", toMany: "Thing", transient: true, ordered: true, inverse: "leader")
                RelationshipDeclaration("friends", toMany: "Thing", inverse: "friends")
                RelationshipDeclaration(
                    "parts", toMany: "Thing", inverse: "owner", deleteRule: .cascade)
                RelationshipDeclaration("picks", toMany: "Step", ordered: true, inverse: "pickers")
                RelationshipDeclaration("steps", toMany: "Step", ordered: true, inverse: "thing")
                RelationshipDeclaration("tags", toMany: "Tag", inverse: "things")
                RelationshipDeclaration(
                    "wards", toMany: "Thing", inverse: "warden", deleteRule: .deny)
            }
            EntityDeclaration("Gadget", parent: "Thing") { AttributeDeclaration("power", .double) }
            EntityDeclaration("Badge") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("holder", to: "Thing", inverse: "badge")
            }
            EntityDeclaration("Step") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("thing", to: "Thing", inverse: "steps")
                RelationshipDeclaration("pickers", toMany: "Thing", ordered: true, inverse: "picks")
                RelationshipDeclaration(
                    "readers", toMany: "Thing", transient: true, inverse: "cursor")
            }
            EntityDeclaration("Tag") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("things", toMany: "Thing", ordered: true, inverse: "tags")
            }
        }
    }
}

extension UndoModel {
    /// The names of the transient properties of an entity.
    static func transientKeys(of entity: EntityDescription) -> [String] {
        entity.slots.filter(\.isTransient).map(\.name)
    }
}

/// A store of that model. Its objects have no classes.
final class Workshop: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("undo")
        container = PersistentContainer(
            model: try UndoModel.make(), classes: [],
            url: URL(filePath: directory.file("workshop.anabranch")))
        try container.load()
    }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }

    /// Runs a block in a context with an undo stack.
    func undoing<T>(
        _ body: (ManagedObjectContext, UndoStack) throws -> sending T
    ) throws -> sending T {
        try inContext { context throws in
            let stack = UndoStack()
            context.undoManager = stack
            return try body(context, stack)
        }
    }

    /// Changes things in another context, and saves.
    func elsewhere(_ body: (ManagedObjectContext) throws -> Void) throws -> ObjectIDChanges {
        try inContext { context throws in
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try body(context)
            try context.save()
            return log.all.last ?? ObjectIDChanges()
        }
    }
}

extension ManagedObjectContext {
    func thing(_ name: String) throws -> ManagedObject { try made(name, "Thing") }

    /// Returns a thing with steps of these names in a list, saved, with an empty undo stack.
    func savedThing(listing names: String, in key: String) throws -> ManagedObject {
        let thing = try thing("a")
        let list = try thing.list(forKey: key)
        for name in names { list.append(try made(String(name), "Step")) }
        try save()
        undoManager?.removeAllActions()
        return thing
    }

    func made(_ name: String, _ entity: String) throws -> ManagedObject {
        let object = try insert(entity)
        object["name"] = .string(name)
        return object
    }

    func find(_ name: String, _ entity: String = "Thing") throws -> ManagedObject? {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try FetchPredicate("name == %@", name)
        return try fetch(request).first
    }

    /// Runs a block and ends the event.
    func step(_ body: () throws -> Void) throws {
        try body()
        processPendingChanges()
    }
}

extension ManagedObject {
    func nameText(_ key: String) throws -> String {
        try objects(forKey: key).map { $0["name"].textOrEmpty }.joined()
    }

    func sortedNames(_ key: String) throws -> String { String(try nameText(key).sorted()) }

    func relate(_ key: String, to object: ManagedObject?) throws {
        try setObject(object, forKey: key)
    }

    var givenMark: String { self["name"].textOrEmpty }
}

extension PropertyValue {
    var textOrEmpty: String { if case .string(let text) = self { text } else { "" } }
}
