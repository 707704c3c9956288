import Anabranch
import Foundation
import Testing

@Suite struct `Edits that can't be saved` {
    /// Returns the ID of an object that another context has deleted.
    private func goneID(_ graph: Graph) throws -> ManagedObjectID {
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            let id = anna.objectID
            context.delete(anna)
            try context.save()
            return id
        }
    }

    @Test func `editing a fault without a row makes the save fail, reading it does not`() throws {
        let graph = try Graph()
        let id = try goneID(graph)
        try graph.inContext { context throws in
            let read = try #require(context.object(with: id) as? Person)
            #expect(read.age == 0 && read.isDeleted)
            try context.save()
            let anna = try #require(context.object(with: id) as? Person)
            let bob = try context.person("Bob")
            anna.age = 7
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .inaccessible && error?.property == "age")
            #expect(error?.objectID == id && error?.message.contains("deleted") == true)
            #expect(anna.isDeleted && anna.age == 0 && bob.isInserted)
            try context.save()
            #expect(try context.people() == [bob])
        }
    }

    @Test
    func `relating an object to a fault without a row makes the save fail, and saves nothing`()
        throws
    {
        let graph = try Graph()
        let edits: [(property: String, body: (Person, Person, Group) -> Void)] = [
            ("reports", { gone, bob, _ in gone.reports.insert(bob) }),
            ("groups", { gone, _, group in gone.groups.insert(group) }),
        ]
        for edit in edits {
            let id = try goneID(graph)
            try graph.inContext { context throws in
                let anna = try #require(context.object(with: id) as? Person)
                let bob = try context.person("Bob")
                let group = try context.insert(Group.self)
                edit.body(anna, bob, group)
                let error = #expect(throws: PropertyError.self) { try context.save() }
                #expect(error?.code == .inaccessible && error?.property == edit.property)
                #expect(error?.objectID == id && error?.message.contains("deleted") == true)
                #expect(bob.boss == nil && bob.isInserted && group.members.isEmpty)
                try context.save()
                context.delete(bob)
                try context.save()
            }
        }
    }

    @Test func `an object that was deleted takes no value`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            let group = try context.insert(Group.self)
            try context.save()
            context.delete(anna)
            try context.save()
            let error = #expect(throws: PropertyError.self) {
                try anna.setValue(4, forKey: "age")
            }
            #expect(error?.code == .inaccessible && error?.property == "age")
            let edits: [(property: String, body: () -> Void)] = [
                ("age", { anna.age = 5 }), ("boss", { anna.boss = nil }),
                ("groups", { anna.groups.insert(group) }), ("age", { anna["age"] = 6 }),
            ]
            for edit in edits {
                edit.body()
                let error = #expect(throws: PropertyError.self) { try context.save() }
                #expect(error?.code == .inaccessible && error?.property == edit.property)
                #expect(error?.objectID == anna.objectID)
            }
            #expect(anna.age == 3)
            try context.save()
        }
    }

    @Test func `an object with an undone insertion accepts no value`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            context.rollback()
            anna.age = 4
            #expect(anna.age == 3)
            #expect(throws: PropertyError.self) { try context.save() }
        }
    }

    @Test func `an object of a reset context names itself when it is set by name`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            try context.save()
            context.reset()
            let error = #expect(throws: PropertyError.self) {
                try anna.setValue(4, forKey: "age")
            }
            #expect(error?.code == .inaccessible && error?.property == "age")
            #expect(error?.message.contains("reset") == true)
        }
    }

    @Test func `a change of an object of a reset context is a pending error of the context`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            let berta = try context.person("Berta")
            try context.save()
            context.reset()
            let changes: [(key: String, change: () -> Void)] = [
                ("age", { anna.age = 4 }), ("boss", { anna.boss = berta }),
                ("reports", { anna.reports.insert(berta) }),
                ("reports", { anna.reports.removeAll() }),
                ("reports", { anna.reports.replace(with: []) }),
                ("age", { anna.setPrimitiveValue(Int64(4), forKey: "age") }),
                ("age", { anna["age"] = 4 }),
            ]
            for (key, change) in changes {
                change()
                let error = context.pendingErrors.last as? PropertyError
                #expect(context.pendingErrors.count == 1, "\(key)")
                #expect(error?.code == .inaccessible && error?.property == key)
                #expect(error?.message.contains("context") == true)
                context.clearPendingErrors()
            }
            #expect(anna.age == 0)
            anna.age = 4
            #expect(throws: PropertyError.self) { try context.save() }
            try context.save()
        }
        let jukebox = try Jukebox()
        try jukebox.inContext { context throws in
            let songs = try ListOwner.album.insert("abc", context)
            context.reset()
            let song = try context.song("x")
            let changes: [() -> Void] = [
                { songs.append(song) }, { songs.insert(song, at: 0) },
                { songs.move(from: 0, to: 1) }, { _ = songs.remove(at: 0) },
                { songs.replace(at: 0, with: song) }, { songs.remove(song) },
                { songs.removeAll() }, { songs[0] = song },
            ]
            for change in changes {
                change()
                #expect(context.pendingErrors.count == 1)
                context.clearPendingErrors()
            }
        }
    }

    @Test func `an object of another context is neither deleted nor refreshed here`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            let id = anna.objectID
            let other = graph.context()
            nonisolated(unsafe) var copy: ManagedObject?
            try other.performAndWait { copy = try $0.existingObject(with: id) }
            let foreign = try #require(copy)
            context.delete(foreign)
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .foreignObject && error?.objectID == id)
            for mergeChanges in [true, false] {
                let error = #expect(throws: PropertyError.self) {
                    try context.refresh(foreign, mergeChanges: mergeChanges)
                }
                #expect(error?.code == .foreignObject && error?.objectID == id)
            }
            try context.save()
            #expect(try context.people() == [anna])
        }
    }
}
