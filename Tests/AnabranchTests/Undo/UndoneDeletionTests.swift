import Anabranch
import Testing

@Suite struct `Undoing deletions that were saved` {
    @Test func `the object stays, its record is new and announced`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let thing = try context.thing("a")
            thing["count"] = 4
            try context.save()
            let former = thing.objectID
            context.delete(thing)
            try context.save()
            #expect(thing.managedObjectContext == nil)
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            context.undo()
            #expect(thing.isInserted && thing["count"] == 4 && thing.objectID != former)
            #expect(log.all.map(\.renamed) == [[former: thing.objectID]])
            #expect(log.all.map { Array($0.inserted) } == [[thing.objectID]])
            try context.save()
            #expect(try context.find("a") === thing)
            // An earlier change still points to it.
            context.undo()
            #expect(thing.isDeleted)
            try context.save()
            context.redo()
            context.redo()
            #expect(thing.managedObjectContext == nil)
        }
    }

    @Test func `references and links to the old record point to the new one`() throws {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            let a = try context.thing("a")
            let owner = try context.thing("o")
            try a.relate("owner", to: owner)
            let list = try owner.list(forKey: "steps")
            for name in "xyz" {
                let step = try context.made(String(name), "Step")
                list.append(step)
                try a.list(forKey: "picks").append(step)
            }
            for name in ["p", "q"] {
                let thing = try context.thing(name)
                try thing.objects(forKey: "friends").insert(a)
                try context.made("tag \(name)", "Tag").list(forKey: "things")
                    .replace(with: [thing, a, owner])
            }
            try context.made("badge", "Badge").relate("holder", to: a)
            try context.save()
        }
        // The context has not read the objects that point to it.
        try workshop.undoing { context, stack throws in
            let a = try #require(try context.find("a"))
            context.delete(a)
            try context.save()
            context.undo()
            try context.save()
            try check(context)
        }
        try workshop.inContext { try check($0) }
    }

    private func check(_ context: ManagedObjectContext) throws {
        let a = try #require(try context.find("a"))
        #expect(try a.object(forKey: "owner")?.givenMark == "o" && a.nameText("picks") == "xyz")
        #expect(try context.find("o")?.nameText("parts") == "a")
        #expect(
            try a.sortedNames("friends") == "pq" && context.find("p")?.nameText("friends") == "a")
        #expect(try context.find("y", "Step")?.nameText("pickers") == "a")
        #expect(try a.object(forKey: "badge")?.givenMark == "badge")
        #expect(try context.find("tag p", "Tag")?.sortedNames("things") == "aop")
    }

    @Test func `a reference to it that was not read is written again`() throws {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            let a = try context.made("a", "Tag")
            for name in ["p", "q"] {
                try context.thing(name).objects(forKey: "tags").insert(a)
            }
            let owner = try context.made("step owner", "Thing")
            try context.made("s", "Step").relate("thing", to: owner)
            try context.save()
        }
        try workshop.undoing { context, stack throws in
            let owner = try #require(try context.find("step owner"))
            let tag = try #require(try context.find("a", "Tag"))
            context.delete(owner)
            context.delete(tag)
            try context.save()
            context.undo()
            try context.save()
        }
        try workshop.inContext { context throws in
            #expect(
                try context.find("s", "Step")?.object(forKey: "thing")?.givenMark == "step owner")
            #expect(try context.find("a", "Tag")?.sortedNames("things") == "pq")
            #expect(try context.find("q")?.nameText("tags") == "a")
        }
    }

    @Test func `all that a cascade took comes back together`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let root = try context.thing("a")
            for name in ["b", "c"] {
                let part = try context.thing(name)
                try part.relate("owner", to: root)
                try context.thing(name + "x").relate("owner", to: part)
            }
            try context.save()
            context.delete(root)
            try context.save()
            #expect(try context.find("cx") == nil)
            context.undo()
            #expect(try root.sortedNames("parts") == "bc")
            try context.save()
        }
        try workshop.inContext { context throws in
            #expect(try context.find("a")?.sortedNames("parts") == "bc")
            #expect(try context.find("c")?.nameText("parts") == "cx")
        }
    }

    @Test func `a list that comes back with a member of it has its order`() throws {
        try Workshop().undoing { context, stack throws in
            let tag = try context.made("t", "Tag")
            let list = try tag.list(forKey: "things")
            let things = try "abc".map { try context.thing(String($0)) }
            list.append(contentsOf: things)
            try context.save()
            context.delete(things[2])
            context.delete(tag)
            try context.save()
            context.undo()
            #expect(try tag.nameText("things") == "abc")
        }
    }

    @Test func `a redone deletion spares the parts that were moved away before`() throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try b.relate("owner", to: a)
            try context.save()
            try b.relate("owner", to: nil)
            context.delete(a)
            context.processPendingChanges()
            context.undo()
            #expect(try b.object(forKey: "owner") === a && !context.hasChanges)
            context.redo()
            #expect(a.isDeleted && !b.isDeleted)
            try context.save()
            #expect(try context.find("b") === b)
        }
    }

    @Test func `earlier steps refer to the new record`() throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try b.relate("owner", to: a)
            try context.save()
            try context.step { try b.relate("owner", to: nil) }
            try context.step { context.delete(a) }
            try context.save()
            context.undo()
            #expect(try b.object(forKey: "owner") == nil)
            context.undo()
            #expect(try b.object(forKey: "owner") === a && a.nameText("parts") == "b")
            try context.save()
            #expect(try b.object(forKey: "owner") === a)
        }
    }

    @Test func `an object moved between two deleted ones is as saved when both are restored`()
        throws
    {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let step = try context.made("s", "Step")
            try b.relate("owner", to: a)
            try step.relate("thing", to: a)
            try context.save()
            context.delete(a)
            try step.relate("thing", to: b)
            context.processPendingChanges()
            #expect(a.isDeleted && b.isDeleted)
            context.undo()
            #expect(try step.object(forKey: "thing") === a && a.nameText("steps") == "s")
            #expect(!context.hasChanges && !a.hasPersistentChangedValues)
            #expect(try step.changedValues().isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a link added concurrently to a deleted object is restored until the deletion is saved`(
        isSaved: Bool
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let c = try context.thing("c")
            try a.objects(forKey: "friends").insert(b)
            try context.save()
            try context.step { context.delete(a) }
            let changes = try workshop.elsewhere { other throws in
                let friends = try other.find("a")?.objects(forKey: "friends")
                friends?.insert(try #require(try other.find("c")))
            }
            try context.mergeChanges(from: changes)
            if isSaved { try context.save() }
            context.undo()
            #expect(try a.sortedNames("friends") == (isSaved ? "b" : "bc"))
            #expect(try c.nameText("friends") == (isSaved ? "" : "a"))
        }
    }

    @Test(arguments: [false, true])
    func `a refresh of all objects keeps the relationships of a deleted one for the undo`(
        isSaved: Bool
    ) throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try a.objects(forKey: "friends").insert(b)
            try context.save()
            try context.step { context.delete(a) }
            try context.refreshAllObjects()
            #expect(try b.nameText("friends").isEmpty)
            if isSaved { try context.save() }
            context.undo()
            #expect(try b.nameText("friends") == "a" && a.nameText("friends") == "b")
        }
    }

    @Test func `a refresh that drops a deletion shows the object at both ends as it is stored`()
        throws
    {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let a = try context.thing("a")
            try context.save()
            let b = try context.thing("b")
            context.processPendingChanges()
            let c = try context.thing("c")
            try context.step { for thing in [b, c] { try thing.relate("owner", to: a) } }
            try context.save()
            context.undo()
            context.undo()
            #expect(b.isDeleted && c.isDeleted)
            let changes = try workshop.elsewhere { other throws in
                try other.find("c")?.relate("owner", to: other.find("b"))
            }
            try context.mergeChanges(from: changes)
            #expect(try a.nameText("parts").isEmpty)
            try context.refresh(b, mergeChanges: false)
            #expect(try b.object(forKey: "owner") === a && a.nameText("parts") == "b")
        }
    }

    @Test(arguments: ["b", nil])
    func `a reference to itself stays as another context changed it before the save`(
        target: String?
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try a.relate("owner", to: a)
            try context.save()
            try context.step { context.delete(b) }
            try context.step { context.delete(a) }
            let changes = try workshop.elsewhere { other throws in
                try other.find("a")?.relate("owner", to: try target.flatMap { try other.find($0) })
            }
            try context.mergeChanges(from: changes)
            try context.save()
            context.undo()
            #expect(try a.object(forKey: "owner") == nil && a.nameText("parts").isEmpty)
            context.undo()
            #expect(try b.nameText("parts").isEmpty)
        }
    }

    @Test func `a restored object does not get relationships that the same event had set`() throws {
        try Workshop().undoing { context, stack throws in
            let a = try context.thing("a")
            let (b, step) = (try context.thing("b"), try context.made("s", "Step"))
            context.processPendingChanges()
            try context.step {
                try a.objects(forKey: "friends").insert(b)
                try a.relate("owner", to: b)
                try step.relate("thing", to: a)
                context.delete(a)
            }
            try context.save()
            context.undo()
            #expect(a.isInserted && context.updatedObjects.isEmpty)
            #expect(try a.nameText("friends").isEmpty && a.nameText("steps").isEmpty)
            #expect(try a.object(forKey: "owner") == nil)
        }
    }

    @Test func `a link removed before the deletion stays removed when both are undone`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let step = try context.made("s", "Step")
            try context.save()
            let thing = try context.thing("a")
            context.processPendingChanges()
            try context.step { try thing.objects(forKey: "picks").insert(step) }
            try context.save()
            try context.refresh(step, mergeChanges: true)
            context.undo()
            context.undo()
            #expect(try step.nameText("pickers").isEmpty)
            context.redo()
            #expect(try thing.nameText("picks").isEmpty && step.nameText("pickers").isEmpty)
            try context.save()
            #expect(try thing.nameText("picks").isEmpty && step.nameText("pickers").isEmpty)
        }
        try workshop.inContext { other throws in
            #expect(try other.find("a")?.nameText("picks") == "")
            #expect(try other.find("s", "Step")?.nameText("pickers") == "")
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `an object deleted as a fault comes back with the values of the store`(
        isFollowed: Bool, isMerged: Bool
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            context.propagatesDeletesAtEndOfEvent = isFollowed
            let (a, owner) = (try context.thing("a"), try context.thing("o"))
            try a.relate("owner", to: owner)
            try a.objects(forKey: "friends").insert(owner)
            try context.save()
            try context.refresh(a, mergeChanges: true)
            context.undo()
            context.processPendingChanges()
            #expect(a.isDeleted && a.isFault)
            if isMerged {
                let changes = try workshop.elsewhere { try $0.find("a")?["count"] = 3 }
                try context.mergeChanges(from: changes)
            }
            context.redo()
            #expect(!a.isDeleted && a["count"] == (isMerged ? 3 : 0))
            #expect(try a.object(forKey: "owner") === owner && a.nameText("friends") == "o")
            try context.save()
            #expect(try owner.nameText("parts") == "a" && owner.nameText("friends") == "a")
        }
    }

    /// In a child, every object that is inserted again gets another ID.
    @Test(arguments: [false, true], [false, true])
    func `objects deleted with a new one are related to it as before`(
        isChild: Bool, isOneEvent: Bool
    ) throws {
        let workshop = try Workshop()
        try workshop.inContext { root throws in
            let context = isChild ? root.newChildContext() : root
            context.undoManager = UndoStack()
            let (a, tag) = (try context.thing("a"), try context.made("t", "Tag"))
            let step = try context.made("s", "Step")
            try context.save()
            try root.save()
            let owner = try context.thing("o")
            try a.relate("owner", to: owner)
            try step.relate("thing", to: owner)
            try tag.list(forKey: "things").append(owner)
            try owner.objects(forKey: "friends").insert(a)
            context.processPendingChanges()
            for object in [a, step, tag, owner] {
                context.delete(object)
                if !isOneEvent { context.processPendingChanges() }
            }
            for _ in 0..<(isOneEvent ? 1 : 4) { context.undo() }
            for _ in 0..<2 {
                #expect(try a.object(forKey: "owner") === owner && owner.nameText("parts") == "a")
                #expect(try step.object(forKey: "thing") === owner)
                #expect(try owner.nameText("steps") == "s" && owner.nameText("tags") == "t")
                #expect(try tag.nameText("things") == "o" && a.nameText("friends") == "o")
                #expect(try owner.nameText("friends") == "a")
                try context.save()
                try root.save()
                try root.refreshAllObjects()
                try context.refreshAllObjects()
            }
        }
    }

    @Test(arguments: ["picks", "steps"], [false, true])
    func `its places in lists come back each time`(key: String, isRefreshed: Bool) throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.savedThing(listing: "xady", in: key)
            let a = try #require(try context.find("a", "Step"))
            context.delete(a)
            try context.save()
            for _ in 0..<3 {
                context.undo()
                #expect(try thing.nameText(key) == "xady")
                try context.save()
                if isRefreshed { try context.refreshAllObjects() }
                context.redo()
                try context.save()
                #expect(try thing.nameText(key) == "xdy")
            }
        }
    }

    @Test func `one that is followed by the save is so after a redo`() throws {
        try Workshop().undoing { context, stack throws in
            context.propagatesDeletesAtEndOfEvent = false
            let (owner, part) = (try context.thing("o"), try context.thing("p"))
            try part.relate("owner", to: owner)
            try context.save()
            stack.removeAllActions()
            try context.step { context.delete(owner) }
            context.undo()
            #expect(!context.hasChanges)
            context.redo()
            #expect(owner.isDeleted && !part.isDeleted)
            try context.save()
            #expect(part.managedObjectContext == nil)
        }
    }

    @Test func `its place in a list comes back where deletions are followed by the save`() throws {
        try Workshop().undoing { context, stack throws in
            context.propagatesDeletesAtEndOfEvent = false
            let (owner, part) = (try context.thing("o"), try context.thing("p"))
            let tag = try context.made("t", "Tag")
            try part.relate("owner", to: owner)
            try tag.list(forKey: "things").replace(with: [owner, part])
            try context.save()
            stack.removeAllActions()
            context.delete(owner)
            context.processPendingChanges()
            try context.save()
            while stack.canUndo { context.undo() }
            #expect(try tag.nameText("things") == "op" && part.object(forKey: "owner") === owner)
            try context.save()
            try context.refreshAllObjects()
            #expect(try tag.nameText("things") == "op")
        }
    }

    @Test(arguments: [false, true])
    func `the former badge of a holder stays when the one that replaced it disappears again`(
        isSaved: Bool
    ) throws {
        try Workshop().undoing { context, stack throws in
            let (owner, saved) = (try context.thing("o"), try context.thing("s"))
            let (former, later) = (try context.made("f", "Badge"), try context.made("l", "Badge"))
            try context.save()
            stack.removeAllActions()
            let holder = isSaved ? saved : try context.thing("n")
            try context.step {
                try holder.relate("owner", to: owner)
                try former.relate("holder", to: holder)
            }
            try context.step {
                context.delete(owner)
                try later.relate("holder", to: holder)
            }
            for isRedone in [false, true] {
                if isRedone { context.redo() }
                #expect(later.isDeleted && owner.isDeleted && !former.isDeleted)
                context.undo()
                #expect(try former.object(forKey: "holder") === holder)
            }
        }
    }

    @Test(arguments: [false, true])
    func `a badge gets its holder back from a new badge`(isSaved: Bool) throws {
        try Workshop().undoing { context, stack throws in
            let (thing, former) = (try context.thing("t"), try context.made("f", "Badge"))
            try former.relate("holder", to: thing)
            if isSaved { try context.save() }
            context.processPendingChanges()
            stack.removeAllActions()
            let later = try context.made("l", "Badge")
            try context.step {
                context.delete(former)
                try later.relate("holder", to: thing)
            }
            try context.save()
            for _ in 0..<2 {
                context.undo()
                #expect(try former.object(forKey: "holder") === thing)
                #expect(try thing.object(forKey: "badge") === former)
                try context.save()
                context.redo()
                #expect(try later.object(forKey: "holder") === thing)
                #expect(try thing.object(forKey: "badge") === later)
                try context.save()
            }
        }
    }

    @Test func `a badge gets its holder back from another badge`() throws {
        try Workshop().undoing { context, stack throws in
            let (thing, other) = (try context.thing("t"), try context.made("b", "Badge"))
            try context.save()
            stack.removeAllActions()
            let badge = try context.made("a", "Badge")
            try badge.relate("holder", to: thing)
            try context.save()
            try context.step {
                context.delete(badge)
                try other.relate("holder", to: thing)
            }
            context.undo()
            // It is recreated, and the redo of its deletion drops it at once.
            context.undo()
            try context.save()
            context.redo()
            context.redo()
            try context.save()
            context.undo()
            #expect(try badge.object(forKey: "holder") === thing)
            #expect(try other.object(forKey: "holder") == nil)
            try context.save()
            #expect(try badge.object(forKey: "holder") === thing)
        }
    }
}
