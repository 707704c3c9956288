import Anabranch
import Testing

@Suite struct `Undoing insertions and deletions` {
    @Test func `undoing an insertion takes the object out, redoing brings it back`() throws {
        try Workshop().undoing { context, stack throws in
            let owner = try context.thing("owner")
            try context.save()
            let thing = try context.thing("a")
            let id = thing.objectID
            try context.step { try thing.relate("owner", to: owner) }
            context.undo()
            #expect(thing.managedObjectContext == nil && !thing.isInserted)
            #expect(context.registeredObject(for: id) == nil && !context.hasChanges)
            #expect(try owner.nameText("parts").isEmpty && context.find("a") == nil)
            #expect(thing.givenMark == "a")
            context.redo()
            #expect(context.registeredObject(for: id) === thing && thing.isInserted)
            #expect(try owner.nameText("parts") == "a" && context.find("a") === thing)
            #expect(try thing.object(forKey: "owner") === owner)
            try context.save()
            #expect(try context.find("a") === thing)
        }
    }

    @Test func `a reference made without undo registration is nil after the undo of its target`()
        throws
    {
        try Workshop().undoing { context, stack throws in
            let other = try context.thing("b")
            try context.save()
            let thing = try context.thing("a")
            context.processPendingChanges()
            stack.disableUndoRegistration()
            try other.relate("owner", to: thing)
            try other.objects(forKey: "friends").insert(thing)
            stack.enableUndoRegistration()
            context.undo()
            #expect(try other.object(forKey: "owner") == nil && other.nameText("friends").isEmpty)
            try context.save()
            context.redo()
            #expect(thing.isInserted)
            try context.save()
        }
    }

    @Test func `undoing a deletion brings values and relationships back`() throws {
        try Workshop().undoing { context, stack throws in
            let owner = try context.thing("o")
            let (a, b, c) = (
                try context.thing("a"), try context.thing("b"), try context.thing("c")
            )
            let badge = try context.made("x", "Badge")
            let step = try context.made("s", "Step")
            try a.relate("owner", to: owner)
            try b.relate("owner", to: a)
            try a.objects(forKey: "friends").insert(c)
            try badge.relate("holder", to: a)
            try a.list(forKey: "picks").append(step)
            a["mood"] = "good"
            try context.save()
            a["count"] = 3
            context.processPendingChanges()
            context.delete(a)
            context.processPendingChanges()
            #expect(context.deletedObjects == [a, b, badge])
            #expect(try c.nameText("friends").isEmpty && owner.nameText("parts").isEmpty)
            context.undo()
            #expect(!a.isDeleted && context.deletedObjects.isEmpty && a["count"] == 3)
            #expect(a["mood"] == "good" && context.updatedObjects == [a])
            #expect(try owner.nameText("parts") == "a" && a.nameText("parts") == "b")
            #expect(try c.nameText("friends") == "a" && a.object(forKey: "badge") === badge)
            #expect(try badge.object(forKey: "holder") === a && step.nameText("pickers") == "a")
            context.undo()
            #expect(!context.hasChanges)
            context.redo()
            context.redo()
            #expect(context.deletedObjects == [a, b, badge])
            try context.save()
            #expect(try context.find("a") == nil && context.find("b") == nil)
        }
    }

    @Test func `objects that were deleted together are related again after the undo`() throws {
        try Workshop().undoing { context, stack throws in
            let tag = try context.made("t", "Tag")
            let things = try "abc".map { try context.thing(String($0)) }
            try tag.list(forKey: "things").append(contentsOf: things)
            try context.save()
            try context.step {
                context.delete(things[0])
                context.delete(tag)
            }
            context.undo()
            #expect(try tag.nameText("things") == "abc")
            #expect(try things.map { try $0.nameText("tags") } == ["t", "t", "t"])
            #expect(!context.hasChanges)
        }
    }

    @Test func `a reference read during a pending deletion is restored by its undo`() throws {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            let (a, b, c) = (
                try context.thing("a"), try context.thing("b"), try context.thing("c")
            )
            let step = try context.made("s", "Step")
            try b.objects(forKey: "friends").insert(a)
            try b.objects(forKey: "friends").insert(c)
            try a.relate("owner", to: c)
            for thing in [a, b, c] { try thing.list(forKey: "picks").append(step) }
            try context.save()
        }
        try workshop.undoing { context, stack throws in
            let a = try #require(try context.find("a"))
            try context.step { context.delete(a) }
            let (b, c) = (try #require(try context.find("b")), try #require(try context.find("c")))
            let step = try #require(try context.find("s", "Step"))
            #expect(try b.nameText("friends") == "c" && c.nameText("parts").isEmpty)
            #expect(try step.nameText("pickers") == "bc")
            context.undo()
            #expect(try b.sortedNames("friends") == "ac" && c.nameText("parts") == "a")
            #expect(try step.nameText("pickers") == "abc" && !context.hasChanges)
        }
    }

    @Test func `a rollback brings back members that were read while a deletion was pending`()
        throws
    {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try b.objects(forKey: "friends").insert(a)
            try context.save()
            try context.step { context.delete(a) }
            try context.save()
            context.reset()
            let c = try context.thing("c")
            try #require(try context.find("b")).objects(forKey: "friends").insert(c)
            try context.save()
        }
        try workshop.inContext { context throws in
            let c = try #require(try context.find("c"))
            try context.step { context.delete(c) }
            let b = try #require(try context.find("b"))
            #expect(try b.nameText("friends").isEmpty)
            context.rollback()
            #expect(try b.nameText("friends") == "c")
        }
    }

    @Test func `an object deleted before it was ever saved comes back with what it was`() throws {
        try Workshop().undoing { context, stack throws in
            let owner = try context.thing("o")
            try context.save()
            let thing = try context.thing("a")
            try thing.relate("owner", to: owner)
            context.processPendingChanges()
            context.delete(thing)
            context.processPendingChanges()
            #expect(thing.managedObjectContext == nil)
            context.undo()
            #expect(thing.isInserted && thing.givenMark == "a")
            #expect(try owner.nameText("parts") == "a")
            context.undo()
            #expect(thing.managedObjectContext == nil && !context.hasChanges)
            context.redo()
            context.redo()
            #expect(thing.managedObjectContext == nil)
            try context.save()
            #expect(try context.find("a") == nil)
        }
    }

    @Test func `undoing an insertion that was saved deletes the object`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let owner = try context.thing("o")
            try context.save()
            let thing = try context.thing("a")
            try thing.relate("owner", to: owner)
            try context.save()
            let id = thing.objectID
            context.undo()
            #expect(thing.isDeleted && context.deletedObjects == [thing])
            #expect(try owner.nameText("parts").isEmpty)
            try context.save()
            #expect(thing.managedObjectContext == nil)
            try workshop.inContext { other throws in #expect(try other.find("a") == nil) }
            context.redo()
            #expect(thing.isInserted && thing.objectID != id)
            #expect(try owner.nameText("parts") == "a" && thing.object(forKey: "owner") === owner)
            try context.save()
            try workshop.inContext { other throws in
                #expect(try other.find("o")?.nameText("parts") == "a")
            }
        }
    }

    @Test func `a redo before the save takes the deletion back`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            try context.save()
            let id = thing.objectID
            context.undo()
            context.redo()
            #expect(!thing.isDeleted && thing.objectID == id && !context.hasChanges)
        }
    }

    @Test func `an undo does not bring back an object that its event has not deleted`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            try context.save()
            try context.step { thing["count"] = 1 }
            try context.step { context.delete(thing) }
            try context.save()
            context.undo()
            #expect(thing.isInserted)
            try context.refresh(thing, mergeChanges: false)
            context.undo()
            #expect(!context.hasChanges && thing.managedObjectContext == nil)
        }
    }

    @Test
    func `a part removed by another context before the deletion is processed is not restored`()
        throws
    {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let owner = try context.thing("owner")
            let part = try context.thing("part")
            try part.relate("owner", to: owner)
            try context.save()
            stack.removeAllActions()
            #expect(try owner.nameText("parts") == "part")
            context.delete(owner)
            let changes = try workshop.elsewhere { try $0.find("part")?.relate("owner", to: nil) }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(!owner.isDeleted && !part.isDeleted && !context.hasChanges)
            #expect(try part.object(forKey: "owner") == nil && owner.nameText("parts").isEmpty)
        }
    }

    @Test func `an object dropped during a pending deletion is not related again`() throws {
        try Workshop().undoing { context, stack throws in
            let a = try context.thing("a")
            try context.save()
            let (owner, step) = (try context.thing("o"), try context.made("s", "Step"))
            try a.relate("owner", to: owner)
            try step.relate("thing", to: a)
            try context.step { context.delete(a) }
            for object in [owner, step] { try context.refresh(object, mergeChanges: false) }
            context.undo()
            #expect(!a.isDeleted && !a.hasPersistentChangedValues)
            #expect(try a.object(forKey: "owner") == nil && a.nameText("steps").isEmpty)
            #expect(a.changedRelationshipNames.isEmpty)
            try context.save()
            #expect(try context.find("a") === a)
        }
    }

    @Test func `an object moved away from a deleted one is as saved after undo, redo and undo`()
        throws
    {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let step = try context.made("s", "Step")
            try step.relate("thing", to: a)
            try context.save()
            try context.step {
                try step.relate("thing", to: b)
                context.delete(a)
            }
            context.undo()
            context.redo()
            #expect(try step.object(forKey: "thing") === b && a.isDeleted)
            context.undo()
            #expect(try step.object(forKey: "thing") === a && a.nameText("steps") == "s")
            #expect(!context.hasChanges && a.changedRelationshipNames.isEmpty)
        }
    }

    @Test func `an object that an undone deletion links again counts as changed`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try context.save()
            try context.step { try a.objects(forKey: "friends").insert(b) }
            try context.step { context.delete(a) }
            try context.refresh(b, mergeChanges: false)
            context.undo()
            #expect(try context.updatedObjects == [a, b] && b.nameText("friends") == "a")
            try context.refreshAllObjects()
            #expect(try b.nameText("friends") == "a" && a.nameText("friends") == "b")
            try context.save()
        }
        try workshop.inContext { other throws in
            #expect(try other.find("b")?.nameText("friends") == "a")
        }
    }

    @Test func `an undone deletion points to a target that a refresh has restored meanwhile`()
        throws
    {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let step = try context.made("s", "Step")
            try step.relate("thing", to: a)
            try b.objects(forKey: "friends").insert(a)
            try context.save()
            for object in [a, step, b] { try context.step { context.delete(object) } }
            try context.refresh(a, mergeChanges: false)
            #expect(try a.nameText("steps").isEmpty && a.nameText("friends").isEmpty)
            context.undo()
            context.undo()
            #expect(try a.nameText("steps") == "s" && step.object(forKey: "thing") === a)
            #expect(try a.nameText("friends") == "b" && b.nameText("friends") == "a")
            #expect(!step.hasPersistentChangedValues && !a.isUpdated)
        }
    }
}
