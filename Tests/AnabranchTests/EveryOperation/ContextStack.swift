import Anabranch
import Foundation
import Synchronization
import TestSupport

@testable import Anabranch

/// The model: nodes with a delete rule of each kind, and links with and without a stored side.
private enum StackModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Node") {
                AttributeDeclaration("a", .integer64)
                AttributeDeclaration("b", .integer64)
                AttributeDeclaration("key", .integer64)
                RelationshipDeclaration("boss", to: "Node", inverse: "reports")
                RelationshipDeclaration("owner", to: "Node", inverse: "parts")
                RelationshipDeclaration("friends", toMany: "Node", inverse: "friends")
                RelationshipDeclaration(
                    "parts", toMany: "Node", inverse: "owner", deleteRule: .cascade)
                RelationshipDeclaration("reports", toMany: "Node", inverse: "boss")
                RelationshipDeclaration("tags", toMany: "Tag", inverse: "nodes")
            }
            EntityDeclaration("Tag") {
                AttributeDeclaration("a", .integer64)
                AttributeDeclaration("b", .integer64)
                AttributeDeclaration("key", .integer64)
                RelationshipDeclaration("nodes", toMany: "Node", inverse: "tags")
            }
        }
    }
}

/// The settings of the contexts of a history.
struct StackSettings {
    /// Whether the main and the other context merge automatically. If not, they merge
    /// notifications.
    let mergesAutomatically: Bool
    let childMerges: Bool
    /// Whether references to a deleted record are looked up in the way that contexts with many
    /// objects use.
    let looksUpMentions: Bool
    /// Whether every property is observed, so that each change must be reported.
    let isObserved: Bool
}

/// Three contexts with one history, and the objects that are registered in them.
final class ContextStack {
    private let directory: TemporaryDirectory
    private let container: PersistentContainer
    private let settings: StackSettings
    private let contexts: [Place: BackgroundContext]
    private let watchers: [Place: SaveWatcher]
    private let observers = Dictionary(
        uniqueKeysWithValues: Place.allCases.map { ($0, StackObservers()) })
    /// The objects of each context at the last check, by key.
    private var held: [Place: [Int: ManagedObject]] = [:]

    init(_ settings: StackSettings) throws {
        self.settings = settings
        directory = try TemporaryDirectory("stack")
        container = PersistentContainer(
            model: try StackModel.make(), classes: [],
            storeDescription: StoreKind.usual.description(directory.file("stack.anabranch")))
        try container.load()
        let main = container.newBackgroundContext()
        contexts = [
            .main: main, .child: BackgroundContext(parent: main),
            .other: container.newBackgroundContext(),
        ]
        watchers = contexts.mapValues { $0.performAndWait { SaveWatcher($0) } }
        for place in Place.allCases { setUp(place) }
    }

    private func setUp(_ place: Place) {
        on(place) { context in
            let merges = place == .child ? settings.childMerges : settings.mergesAutomatically
            context.automaticallyMergesChangesFromParent = merges
            if settings.looksUpMentions {
                context.searchLimits = SearchLimits(always: 0, each: 0)
            }
            if place == .main { context.undoManager = UndoStack() }
            context.isObservable = settings.isObserved
        }
    }

    private func on<T>(
        _ place: Place, _ body: (ManagedObjectContext) throws -> sending T
    ) rethrows -> sending T {
        guard let context = contexts[place] else { preconditionFailure("There are all of them") }
        return try context.performAndWait(body)
    }

    /// Waits until the contexts have finished their automatic merges.
    private func waitForMerges() {
        for place in Place.allCases { on(place) { _ in } }
    }

    private func object(_ key: Int, _ context: ManagedObjectContext, _ place: Place) throws
        -> ManagedObject
    {
        guard let object = held[place]?[key] else { throw Missing(key: key, place: place) }
        return object
    }

    struct Missing: Error {
        let key: Int
        let place: Place
    }
}

// MARK: - Steps
extension ContextStack {
    func apply(_ step: StackStep) throws {
        switch step {
        case .insert(let place, let key, let isTag):
            try on(place) { context in
                let object = try context.insert(isTag ? "Tag" : "Node")
                object["key"] = .integer(Int64(key))
                held[place, default: [:]][key] = object
            }
        case .set(let place, let cell, let value):
            try edit(place, cell.key) { object, _ in
                try object.setValue(
                    value.map { .integer(Int64($0)) } ?? .null, forKey: cell.name)
            }
        case .point(let place, let cell, let target):
            try edit(place, cell.key) { object, find in
                try object.setObject(try target.map(find), forKey: cell.name)
            }
        case .take(let place, let owner, let cell, let isIn):
            try edit(place, owner) { object, find in
                let set = try object.objects(forKey: cell.name == "owner" ? "parts" : "reports")
                if isIn { set.insert(try find(cell.key)) } else { set.remove(try find(cell.key)) }
            }
        case .link(let place, let link, let fromRight, let isIn):
            try edit(place, fromRight ? link.right : link.left) { object, find in
                let isTurned = fromRight && link.name == "tags"
                let set = try object.objects(forKey: isTurned ? "nodes" : link.name)
                let other = try find(fromRight ? link.left : link.right)
                if isIn { set.insert(other) } else { set.remove(other) }
            }
        default: try applyToWhole(step)
        }
        waitForMerges()
    }

    private func edit(
        _ place: Place, _ key: Int,
        _ body: (ManagedObject, (Int) throws -> ManagedObject) throws -> Void
    ) throws {
        try on(place) { context in
            try body(object(key, context, place)) { try object($0, context, place) }
        }
    }

    private func applyToWhole(_ step: StackStep) throws {
        switch step {
        case .delete(let place, let key):
            try edit(place, key) { object, _ in
                let context = object.managedObjectContext
                context?.processPendingChanges()
                context?.delete(object)
                context?.processPendingChanges()
            }
        case .endEvent: on(.main) { $0.processPendingChanges() }
        case .undo: on(.main) { $0.undo() }
        case .redo: on(.main) { $0.redo() }
        case .save(let place): try save(place)
        case .rollback(let place): on(place) { $0.rollback() }
        case .refresh(let place, let key, let merging):
            try on(place) { context in
                let deleted = context.deletedObjects.first { $0["key"] == .integer(Int64(key)) }
                context.processPendingChanges()
                try context.refresh(
                    try deleted ?? object(key, context, place), mergeChanges: merging)
            }
        case .refreshAll(let place): try on(place) { try $0.refreshAllObjects() }
        default: break
        }
    }

    private func save(_ place: Place) throws {
        if place != .main { on(.main) { $0.processPendingChanges() } }
        watchers[place]?.last = nil
        try on(place) { try $0.save() }
        guard place != .child, !settings.mergesAutomatically, let last = watchers[place]?.last
        else { return }
        try on(place == .main ? .other : .main) {
            try $0.mergeChanges(fromContextDidSave: last)
        }
    }
}

// MARK: - Reading
extension ContextStack {
    /// Returns one line for each object of a context, to compare with ``ReferenceContext/lines``.
    func lines(of place: Place) throws -> [String] {
        try on(place) { context in
            let objects = try Self.objects(in: context)
            let deleted = context.deletedObjects.map { ($0.stackKey, $0) }
            held[place] = Dictionary(
                objects.map { ($0.stackKey, $0) } + deleted, uniquingKeysWith: { live, _ in live })
            let missed = try observers[place]?.look(
                at: settings.isObserved ? objects : [], in: context)
            return try Self.lines(of: objects, in: context) + Self.findings(in: context)
                + context.inconsistencies + (missed ?? [])
        }
    }

    /// Returns the lines of the objects that a context has read, to compare with
    /// ``ReferenceContext/heldLines``.
    func heldLines(of place: Place) throws -> [String] {
        try on(place) { context in
            let objects = (held[place] ?? [:]).values.filter { object in
                object.managedObjectContext === context && !object.isDeleted
            }
            return try Self.lines(of: objects, in: context) + context.inconsistencies
        }
    }

    /// Returns the lines of a new context, which reads everything from the store.
    func storedLines() throws -> [String] {
        try container.newBackgroundContext().performAndWait { context in
            try Self.lines(of: Self.objects(in: context), in: context)
                + Self.findings(in: context)
        }
    }

    func canUndo() -> (Bool, Bool) {
        on(.main) { ($0.undoManager?.canUndo ?? false, $0.undoManager?.canRedo ?? false) }
    }

    private static func objects(in context: ManagedObjectContext) throws -> [ManagedObject] {
        try ["Node", "Tag"].flatMap {
            try context.fetch(FetchRequest<ManagedObject>(entityName: $0))
        }
    }

    private static func lines(
        of objects: [ManagedObject], in context: ManagedObjectContext
    ) throws -> [String] {
        try objects.map { try line(of: $0, in: context) }.sorted() + [
            "deleted: \(context.deletedObjects.map(\.stackKey).sorted())",
            "changes: \(context.hasChanges)",
        ]
    }

    private static func findings(in context: ManagedObjectContext) throws -> [String] {
        var request = FetchRequest<ManagedObject>(entityName: "Node")
        request.predicate = try FetchPredicate("a == 1")
        let found = try context.fetch(request).map(\.stackKey).sorted()
        let count = try ["Node", "Tag"].reduce(0) {
            try $0 + context.count(for: FetchRequest<ManagedObject>(entityName: $1))
        }
        return ["a == 1: \(found)", "\(count) things"]
    }

    private static func line(
        of object: ManagedObject, in context: ManagedObjectContext
    ) throws -> String {
        let isTag = object.entity.name == "Tag"
        var line = "\(isTag ? "tag" : "node") \(object.stackKey):"
        for name in ["a", "b"] {
            if case .integer(let value) = object[name] { line += " \(name)=\(value)" }
        }
        if !isTag {
            for name in ["boss", "owner"] {
                if let target = try object.object(forKey: name) {
                    line += " \(name)=\(target.stackKey)"
                }
            }
        }
        for name in isTag ? ["nodes"] : ["friends", "parts", "reports", "tags"] {
            let keys = try object.objects(forKey: name).map(\.stackKey).sorted()
            if !keys.isEmpty { line += " \(name)=\(keys)" }
        }
        let inserted = context.insertedObjects.contains(object)
        let updated = context.updatedObjects.contains(object)
        if inserted { return line + ", inserted" }
        let names = try object.changedValues().keys + object.changedRelationshipNames
        return line + (updated || !names.isEmpty ? ", updated \(updated) \(names.sorted())" : "")
    }
}

extension ManagedObject {
    fileprivate var stackKey: Int {
        if case .integer(let key) = self["key"] { Int(key) } else { -1 }
    }
}

/// Keeps the notification of a context's last save.
private final class SaveWatcher: @unchecked Sendable {
    // This is set on the context's queue and read while that queue is idle.
    var last: Notification?
    private var token: (any NSObjectProtocol)?

    init(_ context: ManagedObjectContext) {
        token = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.didSave, object: context, queue: nil
        ) { [weak self] in self?.last = $0 }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }
}
