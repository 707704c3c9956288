import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `Saves of children` {
    @Test func `an object that the parent knew by its ID alone becomes the child's insertion`()
        throws
    {
        try Graph.family { graph, parent, child in
            let bert = try child.person("Bert")
            let above = try #require(parent.object(with: bert.objectID, as: Person.self))
            #expect(above.isFault)
            try child.save()
            #expect(parent.registeredObject(for: bert.objectID) === above)
            #expect(above.isInserted && above.firstName == "Bert")
            #expect(parent.insertedObjects == [above])
            try parent.save()
            #expect(try graph.firstNames() == ["Anna", "Bert"])
        }
    }

    @Test func `a child reads what its parent has changed without reading it`() throws {
        let graph = try Graph()
        let ids = try graph.inContext { context throws in
            let boss = try context.person("Boss", age: 50)
            let anna = try context.person("Anna", boss: boss)
            try context.save()
            return (anna.objectID, boss.objectID)
        }
        try graph.inContext { parent throws in
            let anna = try #require(try parent.existingObject(with: ids.0) as? Person)
            anna.boss = nil
            let above = try #require(parent.registeredObject(for: ids.1))
            #expect(above.isFault && above.isUpdated)
            let child = parent.newChildContext()
            let people = try child.fetch(FetchRequest<Person>())
            #expect(Set(people.map(\.firstName)) == ["Anna", "Boss"])
            #expect(people.map(\.age).max() == 50)
        }
    }

    @Test func `a former holder that was deleted is no obstacle`() throws {
        try Graph.family { graph, parent, child in
            let anna = try #require(try parent.people().first)
            let old = try parent.insert(Passport.self)
            old.holder = anna
            try parent.save()
            try parent.refreshAllObjects()
            // The parent knows the object that refers to Anna, and has not read it.
            #expect(anna.passport === old && old.isFault)
            try graph.inContext { other throws in
                try other.fetch(FetchRequest<Passport>()).forEach(other.delete)
                try other.save()
            }
            let bert = try child.person("Bert")
            let passport = try child.insert(Passport.self)
            passport.number = "new"
            let target = try #require(child.object(with: anna.objectID, as: Person.self))
            #expect(target.firstName == "Anna")
            passport.holder = target
            try child.save()
            #expect(anna.passport?.number == "new")
            #expect(parent.insertedObjects.map(\.objectID).contains(bert.objectID))
            try parent.save()
            let found = try graph.inContext { context throws in
                try context.people("firstName == 'Anna'").first?.passport?.number
            }
            #expect(found == "new")
        }
    }

    @Test func `an insertion that is redone after its deletion was written is a new record`() throws
    {
        try Graph.family { graph, parent, child in
            child.undoManager = UndoStack()
            let bert = try child.person("Bert")
            child.processPendingChanges()
            try child.save()
            try parent.save()
            let first = bert.objectID
            child.undo()
            try child.save()
            try parent.save()
            #expect(try graph.firstNames() == ["Anna"])
            child.redo()
            try child.save()
            try parent.save()
            #expect(bert.objectID != first)
            #expect(try graph.firstNames() == ["Anna", "Bert"])
        }
    }

    @Test func `counters of both add up`() throws {
        let ledger = try Ledger()
        let id = try ledger.account(["visits": 10])
        try ledger.inContext { parent throws in
            let child = parent.newChildContext()
            let below = try child.read(id)
            let above = try parent.read(id)
            try below.setValue(13, forKey: "visits")
            try above.setValue(12, forKey: "visits")
            try child.save()
            #expect(try above.value(forKey: "visits") == 15)
            try parent.save()
        }
        #expect(try ledger.stored(id, "visits") == [15])
    }

    @Test func `three levels hand on what was changed, linked and deleted`() throws {
        try Graph.family { graph, parent, child in
            let bert = try parent.person("Bert")
            let group = try parent.insert(Group.self)
            group.members.insert(bert)
            try parent.save()
            let grandchild = child.newChildContext()
            let anna = try #require(try grandchild.people("firstName == 'Anna'").first)
            let below = try #require(grandchild.object(with: group.objectID, as: Group.self))
            let third = try #require(grandchild.object(with: bert.objectID, as: Person.self))
            anna.age = 7
            below.members.insert(anna)
            anna.boss = third
            let carl = try grandchild.person("Carl", boss: third)
            carl.mood = "merry"
            try grandchild.save()
            #expect(!parent.hasChanges && child.hasChanges)
            grandchild.delete(third)
            try grandchild.save()
            try child.save()
            #expect(parent.deletedObjects == [bert])
            #expect(Set(group.members.map(\.firstName)) == ["Anna"])
            #expect(try parent.people().map(\.mood) == [nil, "merry"])
            try parent.save()
            #expect(try graph.firstNames() == ["Anna", "Carl"])
            #expect(try graph.inContext { try $0.people().map { $0.boss == nil } } == [true, true])
        }
    }

    @Test func `a grandchild's edit of what the top has deleted is the middle's conflict`() throws {
        try Graph.family { _, parent, child in
            let grandchild = child.newChildContext()
            let middle = try #require(try child.people().first)
            let anna = try #require(try grandchild.people().first)
            anna.age = 3
            try parent.delete(parent.people()[0])
            try grandchild.save()
            let error = #expect(throws: SaveConflictError.self) { try child.save() }
            #expect(error?.deletedObjectIDs == [anna.objectID])
            #expect(child.updatedObjects == [middle] && middle.age == 3)
            try child.refresh(middle, mergeChanges: true)
            #expect(!child.hasChanges)
        }
    }

    @Test func `a save that is refused leaves the parent as it was`() throws {
        try Graph.family { _, parent, child in
            let below = try #require(try child.people().first)
            let above = try #require(try parent.people().first)
            below.age = 3
            let bert = try child.person("Bert", boss: below)
            parent.delete(above)
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: parent)
            #expect(throws: SaveConflictError.self) { try child.save() }
            #expect(parent.insertedObjects.isEmpty && log.all.isEmpty)
            #expect(parent.registeredObject(for: bert.objectID) == nil)
            parent.rollback()
            try child.save()
            #expect(parent.insertedObjects.map(\.objectID) == [bert.objectID])
            #expect(above.age == 3 && above.reports.count == 1)
            try parent.save()
        }
    }

    @Test func `an object that the parent has rolled back is a conflict, and nothing refers to it`()
        throws
    {
        try Graph.family { graph, parent, child in
            let bert = try parent.person("Bert")
            let below = try #require(child.object(with: bert.objectID, as: Person.self))
            let anna = try #require(try child.people("firstName == 'Anna'").first)
            #expect(below.firstName == "Bert")
            parent.rollback()
            anna.boss = below
            below.age = 4
            #expect(throws: SaveConflictError.self) { try child.save() }
            try child.refresh(below, mergeChanges: true)
            #expect(below.isDeleted && anna.boss == nil)
            try child.save()
            try parent.save()
            #expect(try graph.firstNames() == ["Anna"])
        }
    }

    @Test func `a merge into a child keeps what was edited there`() async throws {
        let graph = try Graph()
        let parent = graph.context()
        let child = BackgroundContext(parent: parent)
        try await parent.perform { context in
            try context.person("Anna", age: 1)
            try context.save()
        }
        try await child.perform { context in
            context.automaticallyMergesChangesFromParent = true
            try context.people()[0].age = 9
        }
        try await parent.perform { context in
            try context.people()[0].lastName = "Berg"
            try context.people()[0].age = 2
            try context.save()
        }
        try await child.perform { context in
            let anna = try context.people()[0]
            #expect(anna.age == 9 && anna.lastName == "Berg")
            #expect(try anna.changedValues() == ["age": 9])
            try context.save()
        }
        try await parent.perform { try $0.save() }
        #expect(try graph.inContext { try $0.people().map(\.age) } == [9])
    }
}
