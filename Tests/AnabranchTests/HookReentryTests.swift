import Anabranch
import Foundation
import Observation
import Testing

/// A class with hooks that a test supplies.
private final class Meddler: ManagedObject {
    override class var entityName: String { "Meddler" }
    override class var slotNames: [String] { ["age", "name", "boss", "owner", "parts", "reports"] }
    var age: Int64 {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var name: String {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    var boss: Meddler? {
        get { self[toOne: 2] }
        set { self[toOne: 2] = newValue }
    }
    var owner: Meddler? {
        get { self[toOne: 3] }
        set { self[toOne: 3] = newValue }
    }
    var parts: ManagedObjectSet<Meddler> { self[toMany: 4] }

    var fetches = 0
    var onFetch: () -> Void = {}
    var onFault: () -> Void = {}
    var onDeletion: () -> Void = {}
    override func awakeFromFetch() {
        fetches += 1
        onFetch()
    }
    override func willTurnIntoFault() { onFault() }
    override func prepareForDeletion() { onDeletion() }

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Meddler") {
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("boss", to: "Meddler", inverse: "reports")
                RelationshipDeclaration("owner", to: "Meddler", inverse: "parts")
                RelationshipDeclaration(
                    "parts", toMany: "Meddler", inverse: "owner", deleteRule: .cascade)
                RelationshipDeclaration("reports", toMany: "Meddler", inverse: "boss")
            }
        }
    }
}

extension ManagedObjectContext {
    fileprivate func meddler(
        _ name: String, age: Int64 = 0, owner: Meddler? = nil
    ) throws -> Meddler {
        let meddler = try insert(Meddler.self)
        meddler.name = name
        meddler.age = age
        if let owner { meddler.owner = owner }
        return meddler
    }

    fileprivate func meddlers() throws -> [Meddler] {
        var request = FetchRequest<Meddler>()
        request.sorts = [FetchSort("name")]
        return try fetch(request)
    }
}

@Suite struct `Hooks that change what they are called for` {
    private let league: League

    init() throws { league = try League(try Meddler.makeModel(), classes: [Meddler.self]) }

    private func ages() throws -> [Int64] { try league.inContext { try $0.meddlers().map(\.age) } }

    // MARK: - Rollback

    @Test(arguments: ["before", "after", "clean"])
    func `a value that a hook sets during a rollback is saved`(change: String) throws {
        try league.inContext { context throws in
            let (anna, cyd) = (try context.meddler("Anna"), try context.meddler("Cyd"))
            let dan = try context.meddler("Dan")
            cyd.boss = anna
            try context.save()
            if change == "before" { dan.age = 3 }
            context.delete(anna)
            context.processPendingChanges()
            if change == "after" { dan.age = 3 }
            cyd.onFault = { dan.age = 7 }
            context.rollback()
            #expect(dan.age == 7 && dan.isUpdated && context.updatedObjects == [dan])
            #expect(context.hasChanges && cyd.boss === anna && !anna.isDeleted)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try ages() == [0, 0, 7])
    }

    @Test func `a hook's change to an object to be read again is saved over the store's value`()
        throws
    {
        try league.inContext { context throws in
            let anna = try context.meddler("Anna")
            let both = [try context.meddler("Cyd"), try context.meddler("Dan")]
            for person in both { person.boss = anna }
            try context.save()
            context.delete(anna)
            context.processPendingChanges()
            #expect(both.allSatisfy { $0.boss == nil })
            for (person, other) in zip(both, both.reversed()) {
                person.onFault = { other.age = 7 }
            }
            context.rollback()
            #expect(context.updatedObjects.count == 1 && both.map(\.age).max() == 7)
            #expect(both.allSatisfy { $0.boss === anna })
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try ages().sorted() == [0, 0, 7])
        #expect(try league.inContext { try $0.meddlers().filter { $0.boss != nil }.count } == 2)
    }

    @Test func `a rollback that a rollback's hook asks for leaves nothing pending`() throws {
        try league.inContext { context throws in
            let (anna, cyd) = (try context.meddler("Anna"), try context.meddler("Cyd"))
            cyd.boss = anna
            try context.save()
            cyd.onFault = {
                anna.age = 5
                context.rollback()
            }
            context.delete(anna)
            context.processPendingChanges()
            context.rollback()
            #expect(!context.hasChanges && anna.age == 0 && cyd.boss === anna)
            anna.age = 6
            try context.save()
        }
        #expect(try ages() == [6, 0])
    }

    // MARK: - Deletion

    @Test(arguments: ["rollback", "reset"], ["part", "whole"])
    func `a hook that cancels a deletion cancels all of it`(
        way: String, whose: String
    ) throws {
        try league.inContext { context throws in
            let whole = try context.meddler("Whole")
            let parts = try ["p", "q", "r"].map { try context.meddler($0, owner: whole) }
            let rest = try parts.map { try context.meddler("part of \($0.name)", owner: $0) }
            let friend = try context.meddler("friend")
            friend.boss = whole
            try context.save()
            var calls = 0
            for object in whose == "part" ? parts : [whole] {
                object.onDeletion = {
                    calls += 1
                    if way == "reset" { context.reset() } else { context.rollback() }
                }
            }
            context.delete(whole)
            context.processPendingChanges()
            #expect(calls == 1)
            #expect(context.deletedObjects.isEmpty && !context.hasChanges)
            #expect(try context.meddlers().filter { $0.boss != nil }.count == 1)
            #expect(try context.meddlers().filter { $0.owner != nil }.count == 6)
            try context.meddlers().first?.age = 1
            try context.save()
            withExtendedLifetime(rest) {}
        }
        #expect(try league.inContext { try $0.meddlers().count } == 8)
        #expect(try league.inContext { try $0.meddlers().filter { $0.boss != nil }.count } == 1)
    }

    @Test func `an object deleted after a hook's rollback is deleted with its parts`() throws {
        try league.inContext { context throws in
            let (one, two) = (try context.meddler("one"), try context.meddler("two"))
            let part = try context.meddler("part of one", owner: one)
            _ = try context.meddler("part of two", owner: two)
            try context.save()
            part.onDeletion = {
                context.rollback()
                context.delete(two)
            }
            context.delete(one)
            try context.save()
        }
        #expect(try league.inContext { try $0.meddlers().map(\.name) } == ["one", "part of one"])
    }

    @Test func `a deletion that a hook cancels by a refresh has no effect`() throws {
        try league.inContext { context throws in
            let whole = try context.meddler("whole")
            let part = try context.meddler("part", owner: whole)
            let friend = try context.meddler("friend")
            friend.boss = whole
            try context.save()
            part.onDeletion = { try? context.refresh(whole, mergeChanges: false) }
            context.delete(whole)
            context.processPendingChanges()
            #expect(!whole.isDeleted && friend.boss === whole)
            friend.age = 1
            try context.save()
            #expect(friend.boss === whole)
        }
        #expect(try league.inContext { try $0.meddlers().map(\.name) } == ["friend", "whole"])
    }

    // MARK: - Reading

    private func saved() throws -> ManagedObjectID {
        try league.inContext { context throws in
            let anna = try context.meddler("Anna", age: 7)
            anna.boss = try context.meddler("Boss")
            try context.save()
            return anna.objectID
        }
    }

    @Test(arguments: ["get", "value", "target", "set", "setValue", "existing"], [false, true])
    func `a read sees the store's values where awakeFromFetch makes the object a fault again`(
        way: String, isFetched: Bool
    ) throws {
        let id = try saved()
        try league.inContext { context throws in
            let fetched = isFetched ? try context.meddlers() : []
            let anna = try #require(context.object(with: id, as: Meddler.self))
            anna.onFetch = { try? context.refreshAllObjects() }
            switch way {
            case "get": #expect(anna.age == 7)
            case "value": #expect(try anna.value(forKey: "name") == "Anna")
            case "target": #expect(anna.boss?.name == "Boss")
            case "set": anna.age = 8
            case "setValue": try anna.setValue(8, forKey: "age")
            default: #expect(try context.existingObject(with: id) === anna && !anna.isFault)
            }
            #expect(anna.fetches == 1 && anna.name == "Anna" && anna.boss?.name == "Boss")
            try context.save()
            withExtendedLifetime(fetched) {}
        }
        #expect(try ages() == [way.hasPrefix("set") ? 8 : 7, 0])
    }

    @Test(arguments: [false, true])
    func `a read of what its hook has the context forget sees absent values`(
        isFetched: Bool
    ) throws {
        let id = try saved()
        for way in ["get", "value", "setValue", "target", "existing"] {
            try league.inContext { context throws in
                let fetched = isFetched ? try context.meddlers() : []
                let anna = try #require(context.object(with: id, as: Meddler.self))
                anna.onFetch = { context.reset() }
                switch way {
                case "get": #expect(anna.age == 0)
                case "value":
                    #expect(throws: PropertyError.self) { try anna.value(forKey: "age") }
                case "setValue":
                    #expect(throws: PropertyError.self) { try anna.setValue(8, forKey: "age") }
                case "target": #expect(anna.boss == nil)
                default: #expect(try context.existingObject(with: id) !== anna)
                }
                #expect(anna.managedObjectContext == nil && anna.name == "")
                withExtendedLifetime(fetched) {}
            }
        }
    }

    @Test(arguments: ["refresh", "reset"], [false, true])
    func `an app that decides about a missing row may empty the object`(
        way: String, isDeleted: Bool
    ) throws {
        let id = try saved()
        try league.inContext { context throws in
            let anna = try #require(context.object(with: id, as: Meddler.self))
            try league.inContext { other throws in
                other.delete(try other.existingObject(with: id))
                try other.save()
            }
            context.shouldHandleInaccessibleFault = { _ in
                if way == "reset" { context.reset() } else { try? context.refreshAllObjects() }
                return isDeleted
            }
            #expect(anna.age == 0 && anna.boss == nil)
            if way == "reset" || !isDeleted {
                #expect(throws: PropertyError.self) { try anna.value(forKey: "age") }
            }
            #expect(throws: PropertyError.self) { try anna.setValue(8, forKey: "age") }
        }
        #expect(try ages() == [0])
    }

    @Test func `an observer of a property may empty the object that is about to be set`() throws {
        let id = try saved()
        try league.inContext { context throws in
            context.isObservable = true
            let anna = try #require(context.object(with: id, as: Meddler.self))
            nonisolated(unsafe) let seen = (context: context, anna: anna)
            // Its own change calls it once more.
            nonisolated(unsafe) var calls = 0
            withObservationTracking {
                _ = (anna.age, anna.name)
            } onChange: {
                calls += 1
                if calls == 1 { try? seen.context.refresh(seen.anna, mergeChanges: false) }
            }
            anna.age = 8
            #expect(calls > 0)
            #expect(anna.age == 8 && anna.name == "Anna")
            try context.save()
        }
        #expect(try ages() == [8, 0])
    }
}
