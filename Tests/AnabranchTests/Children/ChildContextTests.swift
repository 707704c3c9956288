import Anabranch
import Foundation
import TestSupport
import Testing

/// Keeps objects registered between two bodies of their context.
private final class Held: @unchecked Sendable { var objects: [ManagedObject] = [] }

@Suite struct `Child contexts` {
    @Test func `a child's insertion is the parent's after its save, and the store's after both`()
        throws
    {
        try Graph.family { graph, parent, child in
            let bert = try child.person("Bert")
            #expect(try parent.people().map(\.firstName) == ["Anna"])
            try child.save()
            #expect(!bert.isInserted && !child.hasChanges)
            #expect(parent.insertedObjects.map(\.objectID) == [bert.objectID])
            #expect(try parent.people().map(\.firstName) == ["Anna", "Bert"])
            #expect(try graph.firstNames() == ["Anna"])
            try parent.save()
            #expect(try graph.firstNames() == ["Anna", "Bert"])
        }
    }

    @Test func `a child sees what its parent has not saved`() throws {
        try Graph.family { _, parent, child in
            let bert = try parent.person("Bert", age: 7)
            try parent.people("firstName == 'Anna'")[0].age = 50
            let group = try parent.insert(Group.self)
            group.members.insert(bert)
            #expect(try child.people("age > 5").map(\.firstName) == ["Anna", "Bert"])
            #expect(try child.count(for: FetchRequest<Person>()) == 2)
            let seen = try #require(child.object(with: group.objectID, as: Group.self))
            #expect(seen.members.map(\.firstName) == ["Bert"])
            #expect(seen.members.objects[0].groups.contains(seen))
            parent.delete(bert)
            #expect(try child.people().map(\.firstName) == ["Anna"])
            #expect(throws: PropertyError.self) {
                try parent.newChildContext().existingObject(with: bert.objectID)
            }
        }
    }

    @Test func `a fetch without pending changes leaves out those of the parent, too`() throws {
        try Graph.family { _, parent, child in
            try parent.person("Bert")
            var request = FetchRequest<Person>()
            request.includesPendingChanges = false
            #expect(try child.fetch(request).map(\.firstName) == ["Anna"])
            #expect(try child.count(for: request) == 1)
            #expect(try child.objectIDs(for: request).count == 1)
        }
    }

    @Test func `a value that a child has read stays until it is refreshed`() throws {
        try Graph.family { _, parent, child in
            let anna = try #require(try child.people().first)
            #expect(anna.age == 1)
            try parent.people()[0].age = 2
            parent.processPendingChanges()
            #expect(anna.age == 1)
            try child.refresh(anna, mergeChanges: true)
            #expect(anna.age == 2)
        }
    }

    @Test func `a child's edits are its own until it saves`() throws {
        try Graph.family { graph, parent, child in
            let above = try #require(try parent.people().first)
            let below = try #require(try child.people().first)
            below.age = 9
            below.lastName = "Berg"
            #expect(above.age == 1 && !parent.hasChanges)
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: parent)
            try child.save()
            #expect(above.age == 9 && above.lastName == "Berg" && above.isUpdated)
            #expect(try above.changedValues() == ["age": 9, "lastName": "Berg"])
            #expect(log.all.map { Array($0.updated) } == [[above.objectID]])
            #expect(try graph.inContext { try $0.people().map(\.age) } == [1])
            try parent.save()
            #expect(try graph.inContext { try $0.people().map(\.age) } == [9])
        }
    }

    @Test func `each child's save notifies the parent, and the root's save reports all of them`()
        throws
    {
        try Graph.family { graph, parent, child in
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: parent)
            let saves = NotificationLog(ManagedObjectContext.didSaveObjectIDs, of: child)
            let bert = try child.person("Bert")
            try child.save()
            let anna = try child.people("firstName == 'Anna'")[0]
            anna.age = 9
            try child.save()
            #expect(log.all.map { Array($0.inserted) } == [[bert.objectID], []])
            #expect(log.all.map { Array($0.updated) } == [[], [anna.objectID]])
            #expect(saves.all.map { Array($0.inserted) } == [[bert.objectID], []])
            #expect(try !bert.objectID.isStored && graph.firstNames() == ["Anna"])
            let root = NotificationLog(ManagedObjectContext.didSave, of: parent)
            try parent.save()
            #expect(root.all.map { Array($0.inserted) } == [[bert.objectID]])
            #expect(root.all.map { Array($0.updated) } == [[anna.objectID]])
            #expect(try bert.objectID.isStored && graph.firstNames() == ["Anna", "Bert"])
        }
    }

    @Test func `a child's rollback leaves the parent's changes alone`() throws {
        try Graph.family { _, parent, child in
            try parent.people()[0].age = 5
            let below = try #require(try child.people().first)
            below.age = 6
            child.rollback()
            #expect(below.age == 5)
            #expect(try parent.people()[0].age == 5)
        }
    }

    @Test func `a transient value goes up with the save`() throws {
        try Graph.family { _, parent, child in
            let below = try #require(try child.people().first)
            below.mood = "merry"
            let bert = try child.person("Bert")
            bert.mood = "sad"
            try child.save()
            #expect(try parent.people().map(\.mood) == ["merry", "sad"])
            #expect(below.mood == "merry")
            #expect(try parent.newChildContext().people().map(\.mood) == [nil, nil])
        }
    }

    @Test func `a deletion goes up with what its rules do`() throws {
        try Graph.family { graph, parent, child in
            let anna = try #require(try child.people().first)
            let passport = try child.insert(Passport.self)
            passport.holder = anna
            try child.person("Bert", boss: anna)
            try child.save()
            try parent.save()
            child.delete(anna)
            try child.save()
            #expect(parent.deletedObjects.map(\.objectID).contains(anna.objectID))
            #expect(try parent.people().map(\.boss) == [nil])
            #expect(try parent.count(for: FetchRequest<Passport>()) == 0)
            #expect(try graph.firstNames() == ["Anna", "Bert"])
            try parent.save()
            #expect(try graph.firstNames() == ["Bert"])
        }
    }

    @Test func `an object that a child inserted, saved and deleted leaves no trace`() throws {
        try Graph.family { graph, parent, child in
            let bert = try child.person("Bert")
            try child.save()
            child.delete(bert)
            try child.save()
            #expect(!parent.hasChanges)
            #expect(try parent.people().map(\.firstName) == ["Anna"])
        }
    }

    @Test func `hooks of insertion and deletion run once, those of saving at every level`() throws {
        try Graph.family { _, parent, child in
            let bert = try child.person("Bert")
            try child.save()
            let above = try #require(parent.object(with: bert.objectID, as: Person.self))
            #expect(bert.calls == ["insert 0", "will", "did"])
            #expect(above.calls == [])
            try parent.save()
            #expect(above.calls == ["will", "did"])
            child.delete(bert)
            try child.save()
            #expect(bert.calls.filter { $0.hasPrefix("prepare") } == ["prepare 0"])
            #expect(above.calls.filter { $0.hasPrefix("prepare") } == [])
        }
    }

    @Test func `a child is checked before it hands its changes over`() throws {
        try Graph.family { _, parent, child in
            let company = try child.insert("Company")
            let error = #expect(throws: ValidationError.self) { try child.save() }
            #expect(error?.property == "name" && error?.objectID == company.objectID)
            #expect(!parent.hasChanges && child.hasChanges)
            company["name"] = "Acme"
            try child.save()
            #expect(parent.hasChanges)
        }
    }

    @Test func `a child gets an error for changing an object that its parent has deleted`() throws {
        try Graph.family { _, parent, child in
            let below = try #require(try child.people().first)
            below.age = 3
            try parent.delete(parent.people()[0])
            let error = #expect(throws: SaveConflictError.self) { try child.save() }
            #expect(error?.deletedObjectIDs == [below.objectID])
            #expect(child.hasChanges && below.age == 3)
            try child.refresh(below, mergeChanges: true)
            #expect(below.isDeleted && !child.hasChanges)
        }
    }

    @Test func `children of one parent follow each other where they are asked to`() async throws {
        let graph = try Graph()
        let parent = graph.context()
        let held = Held()
        let (first, second) = (BackgroundContext(parent: parent), BackgroundContext(parent: parent))
        try await parent.perform { context in
            try context.person("Anna", age: 1)
            try context.save()
        }
        let anna = try await second.perform { context in
            context.automaticallyMergesChangesFromParent = true
            held.objects = try context.people()
            return try #require(held.objects.first).objectID
        }
        try await first.perform { context in
            try #require(try context.existingObject(with: anna) as? Person).age = 2
            try context.save()
        }
        #expect(try await second.perform { try self.age(of: anna, in: $0) } == 2)
        try await parent.perform { context in
            try #require(try context.existingObject(with: anna) as? Person).age = 3
            try context.save()
        }
        #expect(try await second.perform { try self.age(of: anna, in: $0) } == 3)
    }

    private func age(of id: ManagedObjectID, in context: ManagedObjectContext) throws -> Int64 {
        try #require(context.registeredObject(for: id) as? Person).age
    }

    @Test func `two queues wait for each other without a deadlock`() throws {
        let graph = try Graph()
        let parent = graph.context()
        let child = BackgroundContext(parent: parent)
        let grandchild = BackgroundContext(parent: child)
        try parent.performAndWait { context throws in
            try context.person("Anna")
            // The grandchild reads through the child from the context that waits here.
            try grandchild.performAndWait { below throws in
                #expect(try below.people().map(\.firstName) == ["Anna"])
                try below.person("Bert")
                try below.save()
            }
            try child.performAndWait { try $0.save() }
            #expect(try context.people().map(\.firstName) == ["Anna", "Bert"])
        }
    }

    @Test func `a list goes up in its order`() throws {
        let jukebox = try Jukebox()
        try jukebox.container.newBackgroundContext().performAndWait { parent throws in
            let album = try parent.insert(Album.self)
            for name in ["a", "b", "c"] {
                let song = try parent.insert(Song.self)
                song.name = name
                album.songs.append(song)
            }
            try parent.save()
            let child = parent.newChildContext()
            let below = try #require(child.object(with: album.objectID, as: Album.self))
            let song = try child.insert(Song.self)
            song.name = "x"
            below.songs.insert(song, at: 1)
            below.songs.move(from: 3, to: 0)
            #expect(below.songs.map(\.name) == ["c", "a", "x", "b"])
            try child.save()
            #expect(album.songs.map(\.name) == ["c", "a", "x", "b"])
            try parent.save()
            let other = parent.newChildContext()
            let again = try #require(other.object(with: album.objectID, as: Album.self))
            #expect(again.songs.map(\.name) == ["c", "a", "x", "b"])
        }
    }

    @Test func `an object deleted by child and parent is related again after the undo`() throws {
        try Graph.family { _, parent, child in
            parent.undoManager = UndoStack()
            let anna = try parent.people()[0]
            let bert = try parent.person("Bert")
            bert.boss = anna
            parent.processPendingChanges()
            let annas = try #require(child.object(with: anna.objectID, as: Person.self))
            let berts = try #require(child.object(with: bert.objectID, as: Person.self))
            #expect(annas.reports.objects == [berts])
            child.delete(berts)
            child.processPendingChanges()
            parent.delete(bert)
            parent.processPendingChanges()
            try child.refreshAllObjects()
            parent.undo()
            try child.refreshAllObjects()
            let back = try child.people("firstName == 'Bert'")
            #expect(back.map(\.boss) == [annas] && annas.reports.objects == back)
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `a move in a list is reported and can be undone in the parent`(owner: ListOwner) throws {
        let jukebox = try Jukebox()
        try jukebox.inContext { parent throws in
            parent.isObservable = true
            let songs = try owner.insert("abc", parent)
            let stack = UndoStack()
            parent.undoManager = stack
            let look = Look { _ = songs.objects }
            let child = parent.newChildContext()
            try owner.songs(child).move(from: 2, to: 0)
            try child.save()
            #expect(songs.names == "cab" && look.isOutdated && stack.canUndo)
            parent.undo()
            #expect(songs.names == "abc" && !parent.hasChanges)
            parent.redo()
            #expect(songs.names == "cab")
            parent.undo()
            try child.refreshAllObjects()
            try owner.songs(child).move(from: 0, to: 2)
            try child.save()
            try parent.save()
            #expect(try jukebox.inContext { try owner.songs($0).names } == "bca")
            parent.undo()
            try parent.save()
            #expect(songs.names == "abc")
        }
        #expect(try jukebox.inContext { try owner.songs($0).names } == "abc")
    }
}
