import Anabranch
import Foundation
import Testing

@Suite struct `The life of an object` {
    private func watchedLeague() throws -> League {
        let model = try ManagedObjectModel {
            Entity("Watched") {
                Attribute("number", .integer16)
                Attribute("text", .string, default: "x")
            }
        }
        return try League(model, classes: [Watched.self])
    }

    @Test func `insertion wakes it once, with its defaults, and the save not again`() throws {
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

    @Test func `what it is going through can be asked`() throws {
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
            anna.age = 4
            context.processPendingChanges()
            anna.age = 5
            #expect(context.insertedObjects == [anna] && context.updatedObjects.isEmpty)
            #expect(anna.isInserted && !anna.isUpdated)
            #expect(try anna.committedValues().isEmpty)
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

/// Notes what happens to it, and whether it is settled then.
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
