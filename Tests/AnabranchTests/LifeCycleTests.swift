import Anabranch
import Foundation
import Testing

@Suite struct `The life of an object` {
    private func watchedLeague() throws -> League {
        let model = try ManagedObjectModel {
            EntityDeclaration("Watched") {
                AttributeDeclaration("number", .integer16)
                AttributeDeclaration("text", .string, default: "x")
            }
        }
        return try League(model, classes: [Watched.self])
    }

    @Test func `awakes once at insertion, with its defaults, and not again at the save`() throws {
        let league = try watchedLeague()
        try league.inContext { context throws in
            let sample = try context.insert(Watched.self)
            #expect(sample.log == ["insert x 0"])
            sample.text = "y"
            try context.save()
            #expect(sample.log == ["insert x 0"])
            #expect(!sample.isInserted && !sample.isUpdated && !sample.isDeleted)
            #expect(!sample.hasChanges)
        }
    }

    @Test func `the faulting state tells a fault from an object that has its values`() throws {
        let league = try watchedLeague()
        try league.inContext { context throws in
            let watched = try context.insert(Watched.self)
            #expect(watched.faultingState == 0)
            try context.save()
            watched.log = []
            try context.refresh(watched, mergeChanges: false)
            #expect(watched.isFault && watched.faultingState != 0)
            #expect(watched.text == "x" && watched.faultingState == 0)
            #expect(watched.log == ["will false", "did false", "fetch false"])
        }
    }

    @Test func `identity, entity and state fire no fault`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna")
            try context.save()
        }
        try graph.inContext { context throws in
            let anna = try #require(try context.people().first)
            _ = (anna.objectID, anna.entity, anna.isDeleted, anna.hashValue, anna == anna)
            _ = (anna.isInserted, anna.isUpdated, anna.hasChanges, anna.description)
            _ = (anna.hasPersistentChangedValues, try anna.changedValues(), anna.faultingState)
            #expect(anna.isFault && anna.calls.isEmpty)
        }
    }

    @Test func `setting what is there counts as a change, though nothing differs`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            anna.firstName = "Anna"
            #expect(context.hasChanges && anna.isUpdated && anna.hasChanges)
            #expect(!anna.hasPersistentChangedValues)
            #expect(try anna.changedValues().isEmpty)
            anna.mood = "glad"
            #expect(!anna.hasPersistentChangedValues, "A transient value is not persistent.")
            #expect(try anna.changedValues() == ["mood": "glad"])
            try context.save()
            #expect(try anna.changedValues().isEmpty && !anna.hasChanges)
            #expect(try graph.coordinator.history().count == 1)
        }
    }

    @Test func `an insertion that changes is an insertion`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            context.processPendingChanges()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            anna.age = 4
            context.processPendingChanges()
            #expect(log.all.map { Array($0.updated) } == [[anna.objectID]])
            #expect(log.all.first?.inserted.isEmpty == true)
            anna.age = 5
            #expect(context.insertedObjects == [anna] && context.updatedObjects.isEmpty)
            #expect(anna.isInserted && !anna.isUpdated)
            #expect(try anna.committedValues().isEmpty)
        }
    }

    @Test func `an object is not inserted, updated or deleted any more after the save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (changed, deleted) = (try context.person("a"), try context.person("b"))
            try context.save()
            changed.age = 1
            context.delete(deleted)
            let inserted = try context.person("c")
            #expect(inserted.isInserted && changed.isUpdated && deleted.isDeleted)
            try context.save()
            for person in [inserted, changed, deleted] {
                #expect(!person.isInserted && !person.isUpdated && !person.isDeleted)
                #expect(!person.hasChanges)
            }
            #expect(!context.hasChanges)
        }
    }

    @Test func `changed values name new targets and fire no relationship`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna").passport = context.insert(Passport.self)
            try context.person("Boss")
            try context.save()
        }
        try graph.inContext { context throws in
            let people = try context.people()
            let (anna, boss) = (people[0], people[1])
            anna.lastName = "A"
            anna.boss = boss
            let before = graph.readStatements
            let target = PropertyValue.reference(try boss.objectID.recordID)
            #expect(try anna.changedValues() == ["lastName": "A", "boss": target])
            #expect(try anna.hasFault(forRelationshipNamed: "reports"))
            #expect(graph.readStatements == before)
            anna.friends.insert(boss)
            #expect(anna.changedRelationshipNames == ["friends"])
            #expect(try anna.changedValues().keys.sorted() == ["boss", "lastName"])
            try context.save()
            #expect(try anna.changedValues().isEmpty && anna.changedRelationshipNames.isEmpty)
        }
    }

    @Test func `both ends of a one-to-one have changed and committed values of it`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let (old, new) = (try context.insert(Passport.self), try context.insert(Passport.self))
            func reference(_ object: ManagedObject) throws -> PropertyValue {
                .reference(try object.objectID.recordID)
            }
            anna.passport = old
            #expect(try anna.changedValues()["passport"] == reference(old))
            #expect(try old.changedValues()["holder"] == reference(anna))
            try context.save()
            #expect(try anna.changedValues().isEmpty)
            #expect(try anna.committedValues()["passport"] == reference(old))
            new.holder = anna
            #expect(try anna.changedValues() == ["passport": reference(new)])
            #expect(try new.changedValues() == ["holder": reference(anna)])
            #expect(try old.changedValues() == ["holder": .null])
            #expect(anna.changedRelationshipNames.isEmpty)
            #expect(try anna.committedValues(forKeys: ["passport"])["passport"] == reference(old))
            #expect(try new.committedValues(forKeys: ["holder"]) == ["holder": .null])
            anna.passport = nil
            #expect(try anna.changedValues() == ["passport": .null])
            context.rollback()
            #expect(try anna.changedValues().isEmpty && anna.passport === old)
        }
        try graph.inContext { context throws in
            let anna = try context.people()[0]
            let passport = try context.fetch(FetchRequest<Passport>()).first { $0.holder === anna }
            let id = try #require(passport).objectID
            #expect(
                try anna.committedValues(forKeys: ["passport"])
                    == ["passport": .reference(try id.recordID)])
        }
    }

    @Test func `committed values are of all that is stored`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            #expect(try anna.committedValues(forKeys: ["age"]).isEmpty)
            try context.save()
            anna.age = 4
            anna.mood = "glad"
            let committed = try anna.committedValues()
            #expect(
                committed.keys.sorted() == [
                    "age", "boss", "company", "firstName", "lastName", "passport", "salary",
                ])
            #expect(committed["age"] == 3 && committed["firstName"] == "Anna")
            #expect(committed["boss"] == .null && committed["passport"] == .null)
            try context.save()
            #expect(try anna.committedValues()["age"] == 4)
        }
    }

    @Test func `properties of the class that are none of the entity are not tracked`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            anna.calls = ["something"]
            context.processPendingChanges()
            #expect(!anna.hasChanges && !context.hasChanges && log.names.isEmpty)
            #expect(try anna.changedValues().isEmpty)
            try context.refresh(anna, mergeChanges: false)
            #expect(anna.calls == ["something", "willFault", "didFault"])
        }
    }

    @Test func `a to-many that changes makes both ends updated`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (anna, group) = (try context.person("Anna"), try context.insert(Group.self))
            let bob = try context.person("Bob")
            try context.save()
            group.members.insert(anna)
            #expect(context.updatedObjects == [anna, group])
            #expect(group.changedRelationshipNames == ["members"])
            anna.boss = bob
            #expect(context.updatedObjects == [anna, group, bob])
            try context.save()
            #expect(context.updatedObjects.isEmpty)
        }
    }

    @Test func `the IDs of a relationship are a list, of a to-one one or none`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", boss: boss)
            #expect(try anna.objectIDs(forRelationshipNamed: "boss") == [boss.objectID])
            #expect(try boss.objectIDs(forRelationshipNamed: "boss") == [])
            #expect(try boss.objectIDs(forRelationshipNamed: "reports") == [anna.objectID])
            #expect(try anna.objectIDs(forRelationshipNamed: "friends") == [])
        }
    }

    @Test func `a deletion is over once it is saved`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            context.delete(anna)
            #expect(anna.isDeleted && !anna.isUpdated)
            anna.calls = []
            try context.save()
            #expect(!anna.isDeleted && anna.managedObjectContext == nil)
            #expect(anna.calls == ["will", "did"])
        }
    }
}

/// An object that records its life-cycle calls, and whether its state was consistent then.
private final class Watched: ManagedObject {
    override class var entityName: String { "Watched" }
    override class var slotNames: [String] { ["number", "text"] }
    var text: String? {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    var log: [String] = []
    override func awakeFromInsert() { log.append("insert \(text ?? "") \(faultingState)") }
    override func awakeFromFetch() { log.append("fetch \(faultingState == 0)") }
    override func willTurnIntoFault() { log.append("will \(faultingState == 0)") }
    override func didTurnIntoFault() { log.append("did \(faultingState == 0)") }
}
