import Anabranch
import AnabranchStore
import Foundation
import Testing

@Suite struct `Saves that lose against concurrent saves` {
    /// Deletes and changes people by name in another context.
    private func elsewhere(
        _ graph: Graph, deleting deleted: [String] = [], aging aged: [String] = []
    ) throws {
        try graph.inContext { other throws in
            for person in try other.people("firstName IN %@", deleted) { other.delete(person) }
            for person in try other.people("firstName IN %@", aged) { person.age = 99 }
            try other.save()
        }
    }

    @Test func `after a refresh of what was deleted elsewhere the rest is saved`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let gone = try context.person("Gone")
            let old = try context.person("Old")
            let boss = try context.person("Boss", boss: gone)
            try context.save()
            try elsewhere(graph, deleting: ["Gone"], aging: ["Old"])
            gone.age = 1
            old.lastName = "O"
            boss.lastName = "B"
            let new = try context.person("New", boss: gone)
            let error = try #require(
                #expect(throws: SaveConflictError.self) { try context.save() })
            #expect(Set(error.objectIDs) == [gone.objectID, old.objectID])
            #expect(error.deletedObjectIDs == [gone.objectID])
            #expect(
                error.message
                    == "Can't save because Person/2 was changed in the store and Person/1 was "
                    + "deleted in the store since it was read; refresh with mergeChanges: true, "
                    + "which keeps the changes of this context and drops deleted objects, then "
                    + "save again.")
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            for id in error.objectIDs {
                let object = try #require(context.registeredObject(for: id))
                try context.refresh(object, mergeChanges: true)
            }
            context.processPendingChanges()
            #expect(log.all.map { Array($0.deleted) } == [[gone.objectID]])
            #expect(gone.isDeleted && gone.managedObjectContext == nil)
            #expect(context.registeredObject(for: gone.objectID) == nil)
            #expect(context.updatedObjects == [old, boss] && context.insertedObjects == [new])
            #expect(new.boss == nil && boss.boss == nil)
            try context.save()
            #expect(!context.hasChanges)
        }
        try graph.inContext { context throws in
            let people = try context.people()
            #expect(people.map(\.firstName) == ["Boss", "New", "Old"])
            #expect(people.map(\.lastName) == ["B", nil, "O"])
            #expect(people.map(\.age) == [0, 0, 99])
        }
    }

    @Test func `a deletion of what was deleted elsewhere is done`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let gone = try context.person("Gone")
            let other = try context.person("Other")
            try context.save()
            try elsewhere(graph, deleting: ["Gone"])
            context.delete(gone)
            other.age = 4
            #expect(throws: SaveConflictError.self) { try context.save() }
            try context.refreshAllObjects()
            #expect(gone.isDeleted && context.deletedObjects.isEmpty)
            try context.save()
            #expect(try context.people().map(\.age) == [4])
        }
    }

    @Test func `a reference to a target deleted elsewhere is saved and reads no object`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let gone = try context.person("Gone")
            try context.save()
            try elsewhere(graph, deleting: ["Gone"])
            let anna = try context.person("Anna", boss: gone)
            #expect(anna.boss === gone)
            try context.save()
            try context.refreshAllObjects()
            #expect(anna.boss == nil && gone.firstName == nil && gone.isDeleted)
        }
    }

    @Test func `a link to a fault without a row is a conflict that can be settled`() throws {
        let graph = try Graph()
        let id = try graph.inContext { context throws in
            let gone = try context.person("Gone")
            try context.save()
            return gone.objectID
        }
        try elsewhere(graph, deleting: ["Gone"])
        try graph.inContext { context throws in
            let gone = try #require(context.object(with: id) as? Person)
            let group = try context.insert(Group.self)
            group.title = "g"
            group.members.insert(gone)
            let error = #expect(throws: SaveConflictError.self) { try context.save() }
            #expect(error?.objectIDs == [id] && error?.deletedObjectIDs == [id])
            try context.refresh(gone, mergeChanges: true)
            #expect(gone.isDeleted && group.members.isEmpty)
            try context.save()
            #expect(try context.fetch(FetchRequest<Group>()).map(\.title) == ["g"])
        }
    }
}
