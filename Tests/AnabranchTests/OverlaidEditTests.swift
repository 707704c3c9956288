import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// One property of a thing, an edit of it, and another edit that comes from elsewhere.
private struct EditedProperty: CustomStringConvertible, Sendable {
    let name: String
    let unsaved: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void
    let other: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void
    /// The discarded value, and the one that replaced it.
    let lost: PropertyValue
    let winning: PropertyValue

    var description: String { name }

    static func attribute(_ name: String, _ unsaved: PropertyValue, _ other: PropertyValue)
        -> EditedProperty
    {
        EditedProperty(
            name: name, unsaved: { thing, _ in try thing.setValue(unsaved, forKey: name) },
            other: { thing, _ in try thing.setValue(other, forKey: name) }, lost: other,
            winning: unsaved)
    }

    static let all: [EditedProperty] = [
        attribute("price", .integer(3), .integer(9)),
        attribute("price", .null, .integer(9)),
        attribute("price", .integer(3), .null),
        EditedProperty(
            name: "end of an attribute group",
            unsaved: { thing, _ in try thing.setValue(PropertyValue.integer(3), forKey: "start") },
            other: { thing, _ in try thing.setValue(PropertyValue.integer(9), forKey: "end") },
            lost: span(1, 9), winning: span(3, 2)),
    ]

    private static func span(_ start: Int64, _ end: Int64) -> PropertyValue {
        let members = [("end", end), ("start", start)].map {
            GroupValue.Member(name: $0, type: .integer32, value: .integer($1))
        }
        return GroupValue(ascending: members).map(PropertyValue.group) ?? .null
    }
}

/// A way by which a change that was saved elsewhere comes under an unsaved edit.
private enum Arrival: Sendable {
    case otherContext, sync, bundle, refresh, childThatFollows, childOfContextThatFollows
    case childOfContextThatRefreshes
    /// The context does not learn of the change. A row has a version, by which the store finds that
    /// the context has not seen it, and a link has none.
    case unmerged

    static let allMerged: [Arrival] = [
        .otherContext, .sync, .bundle, .refresh, .childThatFollows, .childOfContextThatFollows,
        .childOfContextThatRefreshes,
    ]
    static let allOfLinks = allMerged + [.unmerged]

    var isFollowing: Bool {
        ![.refresh, .childOfContextThatRefreshes, .unmerged].contains(self)
    }
    var isRefreshing: Bool { [.refresh, .childOfContextThatRefreshes].contains(self) }
    var hasChild: Bool {
        [.childThatFollows, .childOfContextThatFollows, .childOfContextThatRefreshes].contains(self)
    }
}

/// A way to remove a link.
private enum LinkRemoval: CaseIterable, Sendable {
    case fromOwner, fromMember, replacement, all

    func remove(from thing: ManagedObject, in context: ManagedObjectContext) throws {
        let tags = try thing.objects(forKey: "tags")
        switch self {
        case .fromOwner: try tags.remove(context.tag("linked"))
        case .fromMember: try context.tag("linked").objects(forKey: "things").remove(thing)
        case .replacement: try tags.replace(with: [context.tag("free")])
        case .all: tags.removeAll()
        }
    }
}

/// Things whose edits are laid over newer values.
private final class Things: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("things")
        let model = try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("price", .integer32)
                AttributeDeclaration("uses", .integer64, mergeRule: .counter)
                AttributeDeclaration("note", .string, mergeRule: .keepBoth)
                AttributeDeclaration("best", .integer64, mergeRule: .max)
                AttributeDeclaration("first", .string, mergeRule: .firstWriter)
                AttributeDeclaration("start", .integer32)
                AttributeDeclaration("end", .integer32)
                AttributeGroup("span", attributes: ["start", "end"])
                RelationshipDeclaration("box", to: "Box", inverse: "things")
                RelationshipDeclaration("tags", toMany: "Tag", inverse: "things")
            }
            EntityDeclaration("Box") {
                AttributeDeclaration("label", .string)
                RelationshipDeclaration("things", toMany: "Thing", inverse: "box")
            }
            EntityDeclaration("Tag") {
                AttributeDeclaration("label", .string)
                RelationshipDeclaration("things", toMany: "Thing", inverse: "tags")
            }
        }
        container = PersistentContainer(
            model: model, url: URL(filePath: directory.file("things.store")))
        try container.load()
    }

    var coordinator: PersistentStoreCoordinator { container.coordinator }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }

    func insert() throws {
        try inContext { context throws in
            for label in ["A", "B", "C"] {
                try context.insert("Box").setValue(label, forKey: "label")
            }
            let thing = try context.insert("Thing")
            for (name, value) in [("price", 1), ("start", 1), ("end", 2), ("uses", 5)] {
                try thing.setValue(value, forKey: name)
            }
            try thing.setValue("old", forKey: "note")
            try thing.setObject(context.box("A"), forKey: "box")
            for label in ["linked", "free", "spare"] {
                try context.insert("Tag").setValue(label, forKey: "label")
            }
            try thing.objects(forKey: "tags").insert(context.tag("linked"))
            try context.save()
        }
    }

    /// Changes the thing in a context of its own, in a later millisecond than before, and saves.
    func edit(
        author: String, _ body: (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws {
        Thread.sleep(forTimeInterval: 0.002)
        try inContext { context throws in
            context.transactionAuthor = author
            try body(context.thing(), context)
            try context.save()
        }
    }
}

extension ManagedObjectContext {
    fileprivate func thing() throws -> ManagedObject {
        try #require(try fetch(FetchRequest<ManagedObject>(entityName: "Thing")).first)
    }

    fileprivate func box(_ label: String) throws -> ManagedObject { try labelled(label, "Box") }

    fileprivate func tag(_ label: String) throws -> ManagedObject { try labelled(label, "Tag") }

    private func labelled(_ label: String, _ entity: String) throws -> ManagedObject {
        let all = try fetch(FetchRequest<ManagedObject>(entityName: entity))
        return try #require(all.first { $0["label"] == .string(label) })
    }
}

@Suite struct `Unsaved edits over newer values` {
    private let here: Things
    private let there: Things
    private let zone = Zone()

    init() throws {
        here = try Things()
        there = try Things()
        try here.insert()
        try exchange()
    }

    private func exchange() throws {
        for things in [here, there, here] { try zone.exchange(things.coordinator) }
    }

    /// Saves an edit elsewhere and brings it into a context with an unsaved edit, then saves that.
    ///
    /// - Returns: The error of the save.
    private func save(
        _ unsaved: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void,
        over other: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void,
        _ arrival: Arrival, _ change: @Sendable (ManagedObjectContext) -> Void = { _ in }
    ) async throws -> (any Error)? {
        let handle = here.container.newBackgroundContext()
        let child = Mutex<BackgroundContext?>(nil)
        try handle.performAndWait { context throws in
            context.transactionAuthor = "Ada"
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = arrival.isFollowing
            change(context)
            guard arrival.hasChild else { return try unsaved(context.thing(), context) }
            let background = context.newBackgroundContext()
            _ = try context.thing()
            child.withLock { $0 = background }
        }
        let background = child.withLock { $0 }
        try background?.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = arrival == .childThatFollows
            try unsaved(context.thing(), context)
        }
        try await bring(other, arrival)
        if arrival.isRefreshing { try handle.performAndWait { try $0.refreshAllObjects() } }
        handle.performAndWait { _ in }
        try background?.performAndWait { try $0.save() }
        return handle.performAndWait { context -> (any Error)? in
            do {
                try context.save()
                return nil
            } catch {
                return error
            }
        }
    }

    private func bring(
        _ other: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void,
        _ arrival: Arrival
    ) async throws {
        switch arrival {
        case .otherContext, .refresh, .unmerged, .childThatFollows, .childOfContextThatFollows,
            .childOfContextThatRefreshes:
            try here.edit(author: "Bob", other)
        case .sync:
            try there.edit(author: "Bob", other)
            try zone.exchange(there.coordinator)
            let changed = try zone.exchange(here.coordinator)
            await withCheckedContinuation { done in
                here.coordinator.didApply(changed) { done.resume() }
            }
        case .bundle:
            try there.edit(author: "Bob", other)
            let url = here.directory.url.appending(path: "b.bundle")
            _ = try there.coordinator.exportBundle(to: url)
            _ = try await here.coordinator.importBundle(from: url)
        }
    }

    @Test(arguments: EditedProperty.all, Arrival.allMerged)
    fileprivate func `record the value that their save overwrites`(
        _ property: EditedProperty, _ arrival: Arrival
    ) async throws {
        #expect(try await save(property.unsaved, over: property.other, arrival) == nil)
        let conflict = try #require(try here.coordinator.conflicts().first)
        #expect(try here.coordinator.conflictCount() == 1)
        #expect(conflict.kind == .concurrentWrite)
        #expect(conflict.value == property.lost && conflict.winningValue == property.winning)
        #expect(conflict.lost.author == "Bob" && conflict.winner?.author == "Ada")
        #expect(conflict.lost.stamp < (try #require(conflict.winner?.stamp)))
        // The value is on no other replica's record any more either, and can be restored here.
        try exchange()
        #expect(
            try here.coordinator.canonicalHash() == there.coordinator.canonicalHash())
    }

    @Test(arguments: Arrival.allMerged)
    fileprivate func `record the reference that their save overwrites`(
        _ arrival: Arrival
    ) async throws {
        let error = try await save(
            { try $0.setObject($1.box("B"), forKey: "box") },
            over: { try $0.setObject($1.box("C"), forKey: "box") }, arrival)
        #expect(error == nil)
        let conflict = try #require(try here.coordinator.conflicts().first)
        let labels = try here.inContext { context throws in
            try [conflict.value, conflict.winningValue].map { value -> PropertyValue? in
                guard case .reference(let record)? = value,
                    let id = try context.coordinator.managedObjectID(
                        for: record, entity: try context.box("A").entity)
                else { return nil }
                return try context.existingObject(with: id)["label"]
            }
        }
        #expect(labels == [.string("C"), .string("B")])
    }

    @Test(arguments: Arrival.allMerged)
    fileprivate func `record what a pending deletion has not seen`(
        _ arrival: Arrival
    ) async throws {
        let error = try await save(
            { $1.delete($0) }, over: { thing, _ in try thing.setValue(9, forKey: "price") },
            arrival)
        #expect(error == nil)
        let all = try here.coordinator.conflicts()
        let conflicts = all.filter { $0.kind == .deletedWhileWritten }
        #expect(conflicts.count == 1)
        // What the author had seen is kept beside it.
        #expect(all.contains { $0.kind == .deletedWithRecord && $0.property.name == "note" })
        #expect(conflicts.first?.value == .integer(9))
        #expect(conflicts.first?.lost.author == "Bob")
        #expect(conflicts.first?.winner?.author == "Ada")
    }

    @Test(arguments: Arrival.allOfLinks)
    fileprivate func `record a link that a pending deletion has not seen`(
        _ arrival: Arrival
    ) async throws {
        let error = try await save(
            { $1.delete($0) },
            over: { thing, context in
                for label in ["free", "spare"] {
                    try thing.objects(forKey: "tags").insert(context.tag(label))
                }
            }, arrival)
        #expect(error == nil)
        let links = try here.coordinator.conflicts().filter {
            $0.kind == .linkToDeleted && $0.lost.author == "Bob"
        }
        #expect(links.count == 2)
        #expect(links.first?.winner?.author == "Ada")
        // What the author had seen is kept beside it.
        let all = try here.coordinator.conflicts()
        #expect(all.contains { $0.kind == .deletedWithRecord && $0.value == .integer(1) })
        #expect(all.count { $0.kind == .linkToDeleted } == 3)
    }

    @Test(arguments: Arrival.allOfLinks, LinkRemoval.allCases)
    fileprivate func `record a link that was added anew under its removal`(
        _ arrival: Arrival, _ removal: LinkRemoval
    ) async throws {
        let error = try await save(
            { try removal.remove(from: $0, in: $1) },
            over: { thing, context in
                try thing.objects(forKey: "tags").remove(context.tag("linked"))
                try context.save()
                try thing.objects(forKey: "tags").insert(context.tag("linked"))
            }, arrival)
        #expect(error == nil)
        let conflict = try #require(try here.coordinator.conflicts().first)
        #expect(try here.coordinator.conflictCount() == 1)
        #expect(conflict.lost.author == "Bob" && conflict.winner?.author == "Ada")
        // It can be restored.
        try here.inContext { context throws in
            try context.restore(conflict)
            try context.save()
            #expect(try context.thing().objects(forKey: "tags").contains(context.tag("linked")))
        }
    }

    @Test(arguments: [Arrival.refresh, .childOfContextThatFollows])
    fileprivate func `record what was seen of a relationship apart from what was not`(
        _ arrival: Arrival
    ) async throws {
        let error = try await save(
            { thing, context in
                try thing.objects(forKey: "tags").insert(context.tag("spare"))
                try thing.objects(forKey: "tags").remove(context.tag("linked"))
            },
            over: { try $0.objects(forKey: "tags").insert($1.tag("free")) }, arrival)
        #expect(error == nil)
        #expect(try here.coordinator.conflictCount() == 0)
        #expect(try here.inContext { try $0.thing().objects(forKey: "tags").count } == 2)
    }

    @Test(arguments: Arrival.allOfLinks)
    fileprivate func `refuse to discard a link that was not seen, if they should`(
        _ arrival: Arrival
    ) async throws {
        let removals: [@Sendable (ManagedObject, ManagedObjectContext) throws -> Void] = [
            { try $0.objects(forKey: "tags").remove($1.tag("linked")) }, { $1.delete($0) },
        ]
        for remove in removals {
            let error = try await save(
                remove,
                over: { thing, context in
                    try thing.objects(forKey: "tags").remove(context.tag("linked"))
                    try context.save()
                    try thing.objects(forKey: "tags").insert(context.tag("linked"))
                }, arrival, { $0.treatsMergedChangesAsConflicts = true })
            #expect(error is SaveConflictError)
            #expect(try here.coordinator.conflictCount() == 0)
        }
    }

    @Test func `record no link that their author has added or read before`() throws {
        let handle = here.container.newBackgroundContext()
        try handle.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            let thing = try context.thing()
            let tags = try thing.objects(forKey: "tags")
            #expect(tags.count == 1)
            // Saves of this context and of another one come between what is read and removed.
            try tags.insert(context.tag("free"))
            try context.save()
            try here.edit(author: "Bob") { _, other in
                try other.box("A").setValue("D", forKey: "label")
            }
            try tags.remove(context.tag("free"))
            try context.save()
            try tags.insert(context.tag("free"))
            try context.save()
            try here.edit(author: "Bob") { try $0.objects(forKey: "tags").insert($1.tag("spare")) }
            try context.refreshAllObjects()
            try tags.remove(context.tag("spare"))
            try context.save()
            // A removal that is taken back and made again has seen what was read in between.
            try tags.remove(context.tag("linked"))
            try here.edit(author: "Bob") { thing, other in
                try thing.objects(forKey: "tags").remove(other.tag("linked"))
                try other.save()
                try thing.objects(forKey: "tags").insert(other.tag("linked"))
            }
            try context.refreshAllObjects()
            try tags.insert(context.tag("linked"))
            try tags.remove(context.tag("linked"))
            try context.save()
            try tags.insert(context.tag("linked"))
            try context.save()
            context.delete(thing)
            try context.save()
        }
        #expect(try here.coordinator.conflictCount() == 0)
    }

    @Test(arguments: TestLength.seeds(20))
    func `record nothing while only one context and its child change links`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try here.container.newBackgroundContext().performAndWait { context throws in
            context.retainsRegisteredObjects = true
            let child = context.newChildContext()
            child.retainsRegisteredObjects = true
            for _ in 0..<60 {
                let isOfChild = generator.oneIn(3)
                let place = isOfChild ? child : context
                // The child does not follow, so it looks before each change.
                if isOfChild { try child.refreshAllObjects() }
                let label = ["linked", "free", "spare"].randomElement(using: &generator) ?? ""
                let (thing, tag) = (try place.thing(), try place.tag(label))
                switch Int.random(in: 0..<8, using: &generator) {
                case 0, 1: try thing.objects(forKey: "tags").insert(tag)
                case 2: try thing.objects(forKey: "tags").remove(tag)
                case 3: try tag.objects(forKey: "things").remove(thing)
                case 4: try place.refreshAllObjects()
                case 5:
                    try here.inContext { other throws in
                        try other.box("A").setValue("B", forKey: "label")
                        try other.box("B").setValue("A", forKey: "label")
                        try other.save()
                    }
                case 6 where !context.hasChanges:
                    place.delete(thing)
                    try child.save()
                    _ = try context.insert("Thing")
                    try context.save()
                default: break
                }
                try child.save()
                if generator.oneIn(2) { try context.save() }
                #expect(try here.coordinator.conflictCount() == 0)
            }
        }
    }

    @Test func `record no link that a child has added and removed`() throws {
        let handle = here.container.newBackgroundContext()
        try handle.performAndWait { context throws in
            let child = context.newChildContext()
            child.retainsRegisteredObjects = true
            for label in ["free", "linked"] {
                let tags = try child.thing().objects(forKey: "tags")
                try tags.insert(child.tag(label))
                try child.save()
                try context.save()
                try tags.remove(child.tag(label))
                try child.save()
                try context.save()
            }
            try child.delete(child.thing())
            try child.save()
            try context.save()
        }
        #expect(try here.coordinator.conflictCount() == 0)
    }

    @Test func `record no removed link that was seen, and refuse one that was not`() async throws {
        let remove: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void = {
            try $0.objects(forKey: "tags").remove($1.tag("linked"))
        }
        #expect(
            try await save(
                remove, over: { thing, _ in try thing.setValue(9, forKey: "price") }, .sync)
                == nil)
        #expect(try here.coordinator.conflictCount() == 0)
        try here.edit(author: "Cleo") { try $0.objects(forKey: "tags").insert($1.tag("linked")) }
        let error = try await save(
            remove,
            over: { thing, context in
                try remove(thing, context)
                try context.save()
                try thing.objects(forKey: "tags").insert(context.tag("linked"))
            }, .sync, { $0.treatsMergedChangesAsConflicts = true })
        #expect(error is SaveConflictError)
        #expect(try here.coordinator.conflictCount() == 0)
    }

    @Test(arguments: [Arrival.otherContext, .sync, .refresh, .childOfContextThatFollows])
    fileprivate func `keep the value of a property that keeps both`(
        _ arrival: Arrival
    ) async throws {
        let error = try await save(
            { thing, _ in try thing.setValue("mine", forKey: "note") },
            over: { thing, _ in try thing.setValue("theirs", forKey: "note") }, arrival)
        #expect(error == nil)
        #expect(try here.coordinator.conflictCount() == 0)
        try exchange()
        #expect(try here.coordinator.canonicalHash() == there.coordinator.canonicalHash())
        let held = try here.inContext { context throws in
            try context.heldWrites(of: context.thing().objectID, forKey: "note")
        }
        #expect(held.map(\.value) == [.string("mine"), .string("theirs")])
        #expect(held.map(\.write.author) == ["Ada", "Bob"])
        // The next write has seen both, replaces them and records the hidden one.
        try here.edit(author: "Cleo") { thing, _ in try thing.setValue("both", forKey: "note") }
        #expect(try here.coordinator.conflicts().map(\.value) == [.string("theirs")])
    }

    @Test(arguments: Arrival.allMerged)
    fileprivate func `yield under a rule by which the stored value wins`(
        _ arrival: Arrival
    ) async throws {
        let error = try await save(
            { thing, _ in
                try thing.setValue(3, forKey: "price")
                try thing.setValue(5, forKey: "best")
                try thing.setValue("mine", forKey: "first")
            },
            over: { thing, _ in
                try thing.setValue(9, forKey: "best")
                try thing.setValue("theirs", forKey: "first")
            }, arrival)
        #expect(error == nil)
        let conflict = try #require(try here.coordinator.conflicts().first)
        #expect(try here.coordinator.conflictCount() == 1)
        #expect(conflict.value == .string("mine") && conflict.winningValue == .string("theirs"))
        #expect(conflict.lost.author == "Ada" && conflict.winner?.author == "Bob")
        try exchange()
        #expect(try here.coordinator.canonicalHash() == there.coordinator.canonicalHash())
        for things in [here, there] {
            let values = try things.inContext { context throws in
                try ["price", "best", "first"].map { try context.thing().value(forKey: $0) }
            }
            #expect(values == [.integer(3), .integer(9), .string("theirs")])
        }
    }

    @Test func `show what won, also if nothing else is saved`() async throws {
        let handle = here.container.newBackgroundContext()
        try handle.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            try context.thing().setValue(5, forKey: "best")
        }
        try await bring({ thing, _ in try thing.setValue(9, forKey: "best") }, .sync)
        try handle.performAndWait { context throws in
            #expect(try context.thing()["best"] == .integer(5))
            try context.save()
            #expect(try context.thing()["best"] == .integer(9))
            try context.thing().setValue(12, forKey: "best")
            try context.save()
        }
        try exchange()
        #expect(try there.inContext { try $0.thing()["best"] } == .integer(12))
        #expect(try here.coordinator.conflictCount() == 0)
    }

    @Test func `record nothing if only other properties changed, or a counter`() async throws {
        let error = try await save(
            { thing, _ in
                try thing.setValue(3, forKey: "price")
                try thing.setValue(7, forKey: "uses")
            },
            over: { thing, context in
                try thing.setValue(6, forKey: "uses")
                try thing.setObject(context.box("B"), forKey: "box")
            }, .sync)
        #expect(error == nil)
        #expect(try here.coordinator.conflictCount() == 0)
        #expect(try here.inContext { try $0.thing()["uses"] } == .integer(8))
    }

    @Test func `record nothing of a value that was seen before the next edit`() async throws {
        let handle = here.container.newBackgroundContext()
        try handle.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            try context.thing().setValue(3, forKey: "price")
            try context.save()
        }
        try here.edit(author: "Bob") { thing, _ in try thing.setValue(9, forKey: "price") }
        try handle.performAndWait { context throws in
            #expect(try context.thing()["price"] == .integer(9))
            try context.thing().setValue(4, forKey: "price")
            try context.save()
            try context.thing().setValue(5, forKey: "price")
            context.rollback()
            try context.thing().setValue(6, forKey: "price")
            try context.save()
        }
        #expect(try here.coordinator.conflictCount() == 0)
    }

    @Test func `are notified and passed to the resolver`() async throws {
        let resolved = Mutex<[ConflictEntry]>([])
        here.coordinator.conflictResolver = ClosureConflictResolver { conflicts, context in
            resolved.withLock { $0 += conflicts }
            try context.thing().setValue(12, forKey: "price")
        }
        var recorded = here.coordinator.recordedConflicts().makeAsyncIterator()
        let error = try await save(
            { thing, _ in try thing.setValue(3, forKey: "price") },
            over: { thing, _ in try thing.setValue(9, forKey: "price") }, .sync)
        #expect(error == nil)
        let ids = try #require(await recorded.next()).ids
        #expect(try ids == here.coordinator.conflicts().map(\.id))
        _ = await here.coordinator.resolveConflicts(.after(.max))
        #expect(resolved.withLock { $0.map(\.value) } == [.integer(9)])
        #expect(try here.inContext { try $0.thing()["price"] } == .integer(12))
    }

    @Test func `conflict if the context asks for it, and its policy decides`() async throws {
        let edit: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void = { thing, _ in
            try thing.setValue(3, forKey: "price")
        }
        let other: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void = { thing, _ in
            try thing.setValue(9, forKey: "price")
        }
        let error = try await save(edit, over: other, .sync) {
            $0.treatsMergedChangesAsConflicts = true
        }
        let conflict = try #require((error as? SaveConflictError)?.mergeConflicts.first)
        #expect(conflict.objectSnapshot["price"] == .integer(1))
        #expect(conflict.persistedSnapshot?["price"] == .integer(9))
        #expect(conflict.changedValues == ["price": .integer(3)])
        #expect(try here.coordinator.conflictCount() == 0)
        #expect(try here.inContext { try $0.thing()["price"] } == .integer(9))
    }

    @Test(arguments: [
        (StandardMergePolicy.mergeByPropertyStoreTrump, 10, 0), (.rollback, 10, 0),
        (.mergeByPropertyObjectTrump, 3, 1), (.overwrite, 3, 1),
    ])
    func `follow the policy of a context that asks for conflicts`(
        _ policy: StandardMergePolicy, _ price: Int64, _ conflicts: Int
    ) async throws {
        let error = try await save(
            { thing, _ in try thing.setValue(3, forKey: "price") },
            over: { thing, _ in try thing.setValue(10, forKey: "price") }, .sync
        ) {
            $0.treatsMergedChangesAsConflicts = true
            $0.mergePolicy = policy
        }
        #expect(error == nil)
        #expect(try here.inContext { try $0.thing()["price"] } == .integer(price))
        #expect(try here.coordinator.conflictCount() == conflicts)
    }

    @Test func `of a context that does not follow conflict by the row's version`() async throws {
        let policies: [(StandardMergePolicy, Int)] = [
            (.error, 8), (.mergeByPropertyObjectTrump, 9),
        ]
        for (policy, price) in policies {
            let error = try await save(
                { thing, _ in try thing.setValue(3, forKey: "price") },
                over: { thing, _ in try thing.setValue(price, forKey: "price") }, .sync
            ) {
                $0.automaticallyMergesChangesFromParent = false
                $0.mergePolicy = policy
            }
            #expect((error == nil) == (policy == .mergeByPropertyObjectTrump))
        }
        // The policy has overwritten what the author of the edit had not seen.
        let conflict = try #require(try here.coordinator.conflicts().first)
        #expect(conflict.value == .integer(9) && conflict.lost.author == "Bob")
    }
}
