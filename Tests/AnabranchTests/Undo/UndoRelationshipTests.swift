import Anabranch
import Testing

@Suite struct `Undoing changes of relationships` {
    @Test func `a reference keeps its target, and the inverses agree`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            let cyd = try context.person("Cyd", boss: anna)
            try context.save()
            context.undoManager = UndoStack()
            cyd.boss = bob
            context.processPendingChanges()
            context.undo()
            #expect(cyd.boss === anna && anna.reports.objects == [cyd] && bob.reports.isEmpty)
            #expect(!context.hasChanges && [anna, bob, cyd].allSatisfy { !$0.hasChanges })
            context.redo()
            #expect(cyd.boss === bob && anna.reports.isEmpty && bob.reports.objects == [cyd])
            #expect(context.updatedObjects == [anna, bob, cyd])
            bob.reports.remove(cyd)
            context.processPendingChanges()
            context.undo()
            #expect(cyd.boss === bob)
            context.undo()
            #expect(cyd.boss === anna && !context.hasChanges)
        }
    }

    @Test func `an undo of a one-to-one restores the former owner of the target`() throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let badge = try context.made("x", "Badge")
            try badge.relate("holder", to: a)
            let other = try context.made("y", "Badge")
            try other.relate("holder", to: b)
            try context.save()
            try context.step { try b.relate("badge", to: badge) }
            #expect(try other.object(forKey: "holder") == nil)
            context.undo()
            #expect(try a.object(forKey: "badge") === badge && !context.hasChanges)
            #expect(try b.object(forKey: "badge") === other)
            #expect(try badge.object(forKey: "holder") === a)
            context.redo()
            #expect(try a.object(forKey: "badge") == nil)
            #expect(try b.object(forKey: "badge") === badge)
        }
    }

    @Test func `links of both ends, also of an object to its like`() throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            let tag = try context.made("t", "Tag")
            try a.objects(forKey: "friends").insert(b)
            try context.save()
            try context.step {
                try b.objects(forKey: "friends").remove(a)
                try a.objects(forKey: "tags").insert(tag)
                try tag.objects(forKey: "things").insert(b)
            }
            context.undo()
            #expect(try a.nameText("friends") == "b" && b.nameText("friends") == "a")
            #expect(try tag.nameText("things").isEmpty && b.nameText("tags").isEmpty)
            #expect(!context.hasChanges)
            context.redo()
            #expect(try a.nameText("friends").isEmpty && b.nameText("friends").isEmpty)
            #expect(try tag.nameText("things") == "ab" && a.nameText("tags") == "t")
            try context.save()
            context.undo()
            try context.save()
            #expect(try a.nameText("friends") == "b" && tag.nameText("things").isEmpty)
        }
    }

    @Test func `a link that is added and removed in one event is no change`() throws {
        try Workshop().undoing { context, stack throws in
            let (a, b) = (try context.thing("a"), try context.thing("b"))
            try context.save()
            stack.removeAllActions()
            try context.step {
                try a.objects(forKey: "friends").insert(b)
                try b.objects(forKey: "friends").remove(a)
            }
            #expect(!stack.canUndo)
        }
    }

    @Test(arguments: [("steps", "thing"), ("picks", "pickers")])
    func `the members of a list are where they were`(key: String, inverse: String) throws {
        let workshop = try Workshop()
        let id = try workshop.undoing { context, _ throws in
            let thing = try context.savedThing(listing: "abcde", in: key)
            let list = try thing.list(forKey: key)
            try context.step { list.move(from: 0, to: 3) }
            try context.step { list.remove(at: 1) }
            try context.step {
                list.insert(try context.made("f", "Step"), at: 0)
                list.replace(with: list.objects.reversed())
            }
            #expect(try thing.nameText(key) == "eadbf")
            context.undo()
            #expect(try thing.nameText(key) == "bdae")
            context.undo()
            #expect(try thing.nameText(key) == "bcdae")
            context.undo()
            #expect(try thing.nameText(key) == "abcde")
            #expect(!context.hasChanges && thing.changedRelationshipNames.isEmpty)
            for _ in 0..<3 { context.redo() }
            #expect(try thing.nameText(key) == "eadbf")
            try context.save()
            context.undo()
            context.undo()
            #expect(try thing.nameText(key) == "bcdae")
            try context.save()
            return thing.objectID
        }
        try workshop.inContext { context throws in
            #expect(try context.existingObject(with: id).nameText(key) == "bcdae")
        }
    }

    @Test func `a member of a list that was not read returns to its position`() throws {
        let workshop = try Workshop()
        try workshop.inContext { context throws in
            let thing = try context.thing("a")
            let list = try thing.list(forKey: "steps")
            for name in "abc" { list.append(try context.made(String(name), "Step")) }
            try context.save()
        }
        try workshop.undoing { context, stack throws in
            let step = try #require(try context.find("b", "Step"))
            try context.step { try step.relate("thing", to: nil) }
            context.undo()
            #expect(!context.hasChanges)
            #expect(try context.find("a")?.nameText("steps") == "abc")
        }
    }

    @Test func `setting a list to its former order keeps the insertions of a concurrent save`()
        throws
    {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let thing = try context.thing("a")
            let list = try thing.list(forKey: "steps")
            for name in "abc" { list.append(try context.made(String(name), "Step")) }
            try context.save()
            try context.step { list.move(from: 2, to: 0) }
            let changes = try workshop.elsewhere { other throws in
                let list = try #require(try other.find("a")).list(forKey: "steps")
                list.insert(try other.made("x", "Step"), at: 1)
            }
            try context.mergeChanges(from: changes)
            context.undo()
            #expect(try thing.nameText("steps") == "axbc" && !context.hasChanges)
        }
    }

    @Test(arguments: ["steps", "picks"])
    func `a move in a list that is undone and redone is saved`(key: String) throws {
        let workshop = try Workshop()
        let id = try workshop.undoing { context, _ throws in
            let thing = try context.savedThing(listing: "abc", in: key)
            let list = try thing.list(forKey: key)
            try context.step { list.move(from: 0, to: 2) }
            try context.step { list.move(from: 0, to: 1) }
            for _ in 0..<2 { context.undo() }
            #expect(!context.hasChanges)
            for _ in 0..<2 { context.redo() }
            #expect(try thing.nameText(key) == "cba")
            context.undo()
            try context.save()
            #expect(try thing.nameText(key) == "bca")
            return thing.objectID
        }
        try workshop.inContext { context throws in
            #expect(try context.existingObject(with: id).nameText(key) == "bca")
        }
    }

    /// The reference was emptied by an edit and not by the deletion.
    @Test(arguments: [false, true], [false, true])
    func `a reference emptied before its target was deleted is so after a redo`(
        isOneEvent: Bool, hasOther: Bool
    ) throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let (step, owner) = (try context.made("s", "Step"), try context.thing("o"))
            let other = try context.thing("p")
            try step.relate("thing", to: owner)
            try context.save()
            stack.removeAllActions()
            try step.relate("thing", to: hasOther ? other : nil)
            if !isOneEvent { context.processPendingChanges() }
            context.delete(owner)
            if hasOther { context.delete(other) }
            context.processPendingChanges()
            #expect(try step.changedValues() == ["thing": .null])
            for _ in 0..<2 {
                for _ in 0..<(isOneEvent ? 1 : 2) { context.undo() }
                #expect(try step.object(forKey: "thing") === owner && !context.hasChanges)
                for _ in 0..<(isOneEvent ? 1 : 2) { context.redo() }
                #expect(try step.changedValues() == ["thing": .null])
            }
            // The edit stays although the deletion is dropped.
            _ = try workshop.elsewhere { try $0.find("o")?["count"] = 5 }
            context.mergePolicy = StandardMergePolicy.mergeByPropertyStoreTrump
            try context.save()
            #expect(try step.object(forKey: "thing") == nil && owner["count"] == 5)
        }
    }
}
