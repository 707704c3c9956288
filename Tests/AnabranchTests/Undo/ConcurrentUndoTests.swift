import Anabranch
import Testing

@Suite struct `Undoing beside concurrent saves` {
    @Test func `only the properties of the step are written`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let thing = try context.thing("a")
            thing["count"] = 1
            thing["hits"] = 5
            try context.save()
            try context.step {
                thing["count"] = 2
                thing["hits"] = 7
            }
            try context.save()
            let changes = try workshop.elsewhere { other throws in
                let thing = try #require(try other.find("a"))
                thing["x"] = 9
                thing["hits"] = 10
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(thing["count"] == 1 && thing["x"] == 9)
            // The counter loses what the step has added, and keeps the additions of the other
            // context.
            #expect(thing["hits"] == 8)
            #expect(try thing.changedValues() == ["count": 1, "hits": 8])
            try context.save()
        }
    }

    @Test func `values that are merged in the middle of an event are not part of the step`() throws
    {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let thing = try context.thing("a")
            try context.save()
            thing["count"] = 1
            let changes = try workshop.elsewhere { try $0.find("a")?.setValue(7, forKey: "x") }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(thing["count"] == 0 && thing["x"] == 7 && !context.hasChanges)
        }
    }

    @Test func `an undo leaves out an object that another context has deleted`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b, c) = (
                try context.thing("a"), try context.thing("b"), try context.thing("c")
            )
            try b.relate("owner", to: a)
            try b.objects(forKey: "friends").insert(a)
            try context.save()
            try context.step {
                a["count"] = 1
                b["count"] = 1
                try b.relate("owner", to: c)
                try b.objects(forKey: "friends").remove(a)
            }
            try context.save()
            let changes = try workshop.elsewhere { other throws in
                let thing = try #require(try other.find("a"))
                other.delete(thing)
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(b["count"] == 0 && a.managedObjectContext == nil)
            #expect(try b.object(forKey: "owner") === c && b.nameText("friends").isEmpty)
            try context.save()
        }
    }

    @Test func `undoing a link removes it even if another context has added it too`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try context.save()
            try context.step { try a.objects(forKey: "friends").insert(b) }
            let changes = try workshop.elsewhere { other throws in
                let (a, b) = (try #require(try other.find("a")), try #require(try other.find("b")))
                try b.objects(forKey: "friends").insert(a)
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(try a.nameText("friends").isEmpty && b.nameText("friends").isEmpty)
            try context.save()
            try context.refreshAllObjects()
            #expect(try a.nameText("friends").isEmpty && b.nameText("friends").isEmpty)
        }
    }

    @Test func `a deletion that another context has saved too is not undone`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try context.save()
            try context.step {
                context.delete(a)
                b["count"] = 1
            }
            let changes = try workshop.elsewhere { other throws in
                other.delete(try #require(try other.find("a")))
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(a.managedObjectContext == nil && b["count"] == 0 && !context.hasChanges)
            #expect(try context.find("a") == nil)
        }
    }

    @Test func `a deletion is undone to the values that another context saved meanwhile`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b, c) = (
                try context.thing("a"), try context.thing("b"), try context.thing("c")
            )
            try a.objects(forKey: "friends").insert(b)
            try context.save()
            try context.step { context.delete(a) }
            let changes = try workshop.elsewhere { other throws in
                let thing = try #require(try other.find("a"))
                thing["count"] = 5
                try thing.objects(forKey: "friends").insert(try #require(try other.find("c")))
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(a["count"] == 5 && !context.hasChanges)
            #expect(try a.sortedNames("friends") == "bc" && c.nameText("friends") == "a")
            #expect(try b.nameText("friends") == "a")
        }
    }

    @Test func `an undone deletion reports no relationship that a save changed under an edit`()
        throws
    {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b, c) = (
                try context.thing("a"), try context.thing("b"), try context.thing("c")
            )
            try context.save()
            try context.step { try a.relate("owner", to: b) }
            let changes = try workshop.elsewhere { other throws in
                try other.find("a")?.relate("owner", to: other.find("c"))
            }
            try context.mergeChanges(from: changes)
            try context.step { context.delete(a) }
            context.undo()
            #expect(try a.object(forKey: "owner") === b && c.nameText("parts").isEmpty)
            #expect(b.changedRelationshipNames == ["parts"] && c.changedRelationshipNames.isEmpty)
        }
    }

    @Test func `an undone deletion has its list in the order that edits had given it`() throws {
        try Workshop().undoing { context, stack throws in
            let a = try context.savedThing(listing: "su", in: "steps")
            let list = try a.list(forKey: "steps")
            let first = try #require(list.objects.first)
            try context.step { list.remove(first) }
            try context.step {
                list.append(try context.made("t", "Step"))
                list.append(first)
            }
            let other = try context.thing("b")
            context.processPendingChanges()
            try context.step { context.delete(a) }
            try context.refresh(other, mergeChanges: true)
            context.undo()
            #expect(try a.nameText("steps") == "uts")
            try context.save()
            try context.refresh(a, mergeChanges: false)
            #expect(try a.nameText("steps") == "uts")
        }
    }

    @Test func `an undone deletion reports the object from which an edit had moved a member`()
        throws
    {
        try Workshop().undoing { context, stack throws in
            let (a, b, c) = (
                try context.thing("a"), try context.thing("b"), try context.thing("c")
            )
            try a.relate("owner", to: c)
            try context.save()
            try context.step { try a.relate("owner", to: b) }
            try context.step { context.delete(a) }
            #expect(c.changedRelationshipNames.isEmpty)
            context.undo()
            #expect(try c.changedRelationshipNames == ["parts"] && c.nameText("parts").isEmpty)
        }
    }

    @Test(arguments: ["", "b", "c"])
    func `an undone deletion restores the target of an edit, whatever another context has set`(
        name: String
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let step = try context.made("s", "Step")
            try step.relate("thing", to: a)
            _ = try context.thing("c")
            try context.save()
            try context.step { try step.relate("thing", to: b) }
            try context.step { context.delete(b) }
            let changes = try workshop.elsewhere { other throws in
                try other.find("s", "Step")?.relate("thing", to: other.find(name))
                try other.find("a")?.setValue(1, forKey: "count")
            }
            try context.mergeChanges(from: changes)
            #expect(try step.object(forKey: "thing") == nil)
            context.undo()
            #expect(try step.object(forKey: "thing") === b && b.nameText("steps") == "s")
            #expect(try step.changedValues().isEmpty == (name == "b"))
            #expect(try a.nameText("steps").isEmpty)
        }
    }

    @Test func `an undone deletion gives an edit of an empty reference its target back`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let b = try context.thing("b")
            let step = try context.made("s", "Step")
            try context.save()
            try context.step { try step.relate("thing", to: b) }
            try context.step { context.delete(b) }
            let changes = try workshop.elsewhere { other throws in
                try other.find("s", "Step")?.setValue("t", forKey: "name")
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(try step.object(forKey: "thing") === b && b.nameText("steps") == "t")
            #expect(try step.changedValues().keys.sorted() == ["thing"])
        }
    }

    @Test func `a discarded change has nothing more to undo`() throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try context.save()
            try context.step {
                a["count"] = 1
                try a.objects(forKey: "friends").insert(b)
            }
            try context.refresh(a, mergeChanges: false)
            #expect(a["count"] == 0)
            #expect(try b.nameText("friends").isEmpty)
            context.undo()
            #expect(a["count"] == 0)
            context.redo()
            #expect(try a["count"] == 0 && b.nameText("friends").isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `an undone deletion restores references whose removal was dropped`(
        isFollowed: Bool
    ) throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let step = try context.made("s", "Step")
            try a.relate("owner", to: b)
            try step.relate("thing", to: b)
            try context.save()
            try context.step {
                try a.relate("owner", to: nil)
                try step.relate("thing", to: nil)
            }
            context.delete(b)
            if isFollowed { context.processPendingChanges() }
            try context.refresh(a, mergeChanges: false)
            try context.refresh(step, mergeChanges: false)
            context.undo()
            #expect(try a.object(forKey: "owner") === b && b.nameText("parts") == "a")
            #expect(try step.object(forKey: "thing") === b && b.nameText("steps") == "s")
            #expect(b.changedRelationshipNames.isEmpty && context.updatedObjects == [b])
            #expect(try a.changedValues().isEmpty && step.changedValues().isEmpty)
        }
    }

    @Test func `a redone deletion does not change an object that another context pointed to it`()
        throws
    {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, step) = (try context.thing("a"), try context.made("s", "Step"))
            try context.save()
            try context.step { context.delete(a) }
            let changes = try workshop.elsewhere { other throws in
                try other.find("s", "Step")?.relate("thing", to: other.find("a"))
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(try step.object(forKey: "thing") === a && !context.hasChanges)
            context.redo()
            #expect(try step.object(forKey: "thing") == nil && context.updatedObjects.isEmpty)
            try context.save()
            #expect(try step.object(forKey: "thing") == nil)
        }
    }

    @Test(arguments: [false, true])
    func `a link removed before a deletion is equal at both ends after one end is refreshed`(
        isFollowed: Bool
    ) throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try a.objects(forKey: "friends").insert(b)
            try context.save()
            try context.step { try a.objects(forKey: "friends").remove(b) }
            context.delete(b)
            if isFollowed { context.processPendingChanges() }
            try context.refresh(a, mergeChanges: false)
            context.undo()
            // The followed state still has the removal.
            #expect(try a.nameText("friends") == (isFollowed ? "" : "b"))
            #expect(try b.nameText("friends") == (isFollowed ? "" : "a"))
            #expect(a.changedRelationshipNames == b.changedRelationshipNames)
            if isFollowed { context.undo() }
            #expect(try a.nameText("friends") == "b" && b.nameText("friends") == "a")
            #expect(a.changedRelationshipNames.isEmpty && b.changedRelationshipNames.isEmpty)
        }
    }

    @Test func `a link removed before both its ends were deleted is so at both`() throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try a.objects(forKey: "friends").insert(b)
            try b.relate("owner", to: a)
            try context.save()
            try context.step { try a.objects(forKey: "friends").remove(b) }
            try context.step { context.delete(a) }
            try context.refresh(a, mergeChanges: false)
            #expect(b.isDeleted && !a.hasChanges)
            // The undo restores the other link.
            context.undo()
            #expect(try a.nameText("friends").isEmpty && b.nameText("friends").isEmpty)
            #expect(a.changedRelationshipNames == ["friends"])
            #expect(b.changedRelationshipNames == ["friends"])
            context.undo()
            #expect(try a.nameText("friends") == "b" && b.nameText("friends") == "a")
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `an undone deletion restores an object that was refreshed before it was processed`(
        isRead: Bool, isEdited: Bool
    ) throws {
        try Workshop().undoing { context, stack throws in
            let (a, step) = (try context.thing("a"), try context.made("s", "Step"))
            try step.relate("thing", to: a)
            try context.save()
            try context.step { step["name"] = "t" }
            if isRead { #expect(try a.nameText("steps") == "t") }
            if isEdited { step["name"] = "u" }
            context.delete(a)
            try context.refresh(step, mergeChanges: false)
            context.processPendingChanges()
            #expect(try step.object(forKey: "thing") == nil && step["name"] == "s")
            context.undo()
            #expect(try step.object(forKey: "thing") === a)
            #expect(try a.objects(forKey: "steps").objects == [step])
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a link that another context has removed does not return with its ends`(
        isOneOlder: Bool, isRead: Bool
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let b = try context.thing("b")
            if isOneOlder { try context.save() }
            let a = try context.thing("a")
            try a.objects(forKey: "friends").insert(b)
            try context.save()
            context.undo()
            let changes = try workshop.elsewhere { other throws in
                let b = try #require(try other.find("b"))
                if isRead { _ = try b.nameText("friends") }
                try other.find("a")?.objects(forKey: "friends").remove(b)
            }
            try context.mergeChanges(from: changes)
            context.redo()
            #expect(try a.nameText("friends").isEmpty && b.nameText("friends").isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test func `an undo that finds a reference as it makes it changes nothing`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try context.save()
            try context.step { try a.relate("owner", to: b) }
            try context.save()
            let changes = try workshop.elsewhere { try $0.find("a")?.relate("owner", to: nil) }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: [true, false])
    func `a part that another context added to a deleted object survives the redone deletion`(
        isHeld: Bool
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let whole = try context.thing("a")
            var part: ManagedObject? = try context.thing("p")
            try context.save()
            if !isHeld { part = nil }
            try context.step { context.delete(whole) }
            let changes = try workshop.elsewhere { other throws in
                try other.find("p")?.relate("owner", to: other.find("a"))
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(try whole.nameText("parts") == "p")
            context.redo()
            let left = try #require(try context.find("p"))
            #expect(whole.isDeleted && !left.isDeleted && (!isHeld || left === part))
            #expect(try left.object(forKey: "owner") == nil)
            try context.save()
            try workshop.inContext { other throws in
                #expect(try other.find("p") != nil && other.find("a") == nil)
            }
        }
    }
}
