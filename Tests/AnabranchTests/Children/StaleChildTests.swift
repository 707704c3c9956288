import Anabranch
import TestSupport
import Testing

@Suite struct `What a child has read that then changed` {
    /// Runs `body` with a parent with Anna and her report Bert, both of which a child has read with
    /// all their relationships.
    private static func readers(
        _ body: (
            _ parent: ManagedObjectContext, _ above: [Person], _ child: ManagedObjectContext,
            _ below: [Person]
        ) throws -> Void
    ) throws {
        try Graph.family { _, parent, child in
            let bert = try parent.person("Bert", boss: parent.people()[0])
            try parent.save()
            let below = try child.people()
            for person in below { _ = (person.reports.count, person.friends.count, person.boss) }
            try body(parent, [bert.boss, bert].compactMap(\.self), child, below)
        }
    }

    @Test func `is there after a rollback as it was read, at both ends`() throws {
        try Self.readers { parent, above, child, below in
            above[1].boss = nil
            above[0].friends.insert(above[1])
            parent.processPendingChanges()
            below[0].age = 7
            below[0].friends.insert(below[0])
            below[1].boss = below[1]
            child.rollback()
            #expect(below[1].boss === below[0] && below[0].reports.objects == [below[1]])
            #expect(below[0].friends.isEmpty && below[0].age == 1 && !child.hasChanges)
            try child.refreshAllObjects()
            #expect(below[1].boss == nil && below[0].reports.isEmpty)
            #expect(below[0].friends.objects == [below[1]])
        }
    }

    @Test func `was moved by an edit, and has its former target again after a rollback`()
        throws
    {
        try Self.readers { parent, above, child, below in
            below[1].boss = below[1]
            above[1].boss = nil
            try parent.save()
            above[1].boss = above[0]
            try child.refreshAllObjects()
            // Anna's reports are read while an unsaved change gives Bert another boss.
            #expect(below[0].reports.isEmpty && below[1].reports.objects == [below[1]])
            above[1].boss = nil
            child.rollback()
            #expect(below[1].boss === below[0] && below[0].reports.objects == [below[1]])
            #expect(below[1].reports.isEmpty)
        }
    }

    @Test func `stays through a rollback where another object had referred to the deleted one`()
        throws
    {
        try Graph.family { _, parent, child in
            let above = try parent.people()[0]
            let carl = try parent.person("Carl")
            parent.processPendingChanges()
            let below = try child.people()
            below[1].boss = below[0]
            parent.delete(carl)
            parent.processPendingChanges()
            try child.refreshAllObjects()
            #expect(below[1].isDeleted && below[0].reports.isEmpty && below[0].age == 1)
            parent.delete(above)
            parent.processPendingChanges()
            child.rollback()
            #expect(below[0].age == 1 && !below[0].isDeleted)
        }
    }

    @Test func `is saved over what the parent has, property by property`() throws {
        try Self.readers { parent, above, child, below in
            above[0].age = 30
            above[0].lastName = "Above"
            above[1].boss = nil
            below[0].age = 40
            below[1].friends.insert(below[0])
            try child.save()
            #expect(above[0].age == 40 && above[0].lastName == "Above" && above[1].boss == nil)
            #expect(above[0].friends.objects == [above[1]])
            #expect(below[0].lastName == nil && below[1].boss === below[0])
        }
    }

    @Test func `has no related object that the parent has deleted`() throws {
        try Self.readers { parent, above, child, below in
            parent.delete(above[0])
            parent.processPendingChanges()
            below[1].boss = below[1]
            below[1].friends.insert(below[0])
            try child.save()
            #expect(above[1].boss === above[1] && above[1].friends.isEmpty)
            below[1].boss = below[0]
            try child.save()
            #expect(above[1].boss == nil)
        }
    }

    @Test func `does not end the parent's redo where all of it is related to what is deleted`()
        throws
    {
        try Self.readers { parent, above, child, below in
            parent.undoManager = UndoStack()
            parent.delete(above[0])
            parent.processPendingChanges()
            above[1].age = 5
            parent.processPendingChanges()
            parent.undo()
            #expect(parent.undoManager?.canRedo == true)
            below[1].friends.insert(below[0])
            try child.save()
            #expect(parent.undoManager?.canRedo == true && above[1].friends.isEmpty)
        }
    }

    @Test func `stays through a rollback where only a new object was deleted`() throws {
        try Self.readers { parent, above, child, below in
            let carl = try child.person("Carl", boss: below[0])
            child.processPendingChanges()
            above[0].age = 30
            parent.processPendingChanges()
            child.delete(carl)
            child.processPendingChanges()
            child.rollback()
            #expect(below[0].age == 1 && below[0].reports.objects == [below[1]])
        }
    }

    @Test func `stays through a rollback if the parent deleted the deleted object too`() throws {
        try Graph.family { _, parent, child in
            let above = try parent.people()[0]
            let carl = try parent.person("Carl")
            above.friends.insert(carl)
            parent.processPendingChanges()
            let below = try child.people()
            #expect(below[0].friends.objects == [below[1]])
            below[0].lastName = "Below"
            child.delete(below[1])
            child.processPendingChanges()
            parent.delete(carl)
            parent.processPendingChanges()
            try child.refreshAllObjects()
            above.age = 30
            parent.processPendingChanges()
            child.rollback()
            #expect(below[0].age == 1 && below[0].lastName == nil && below[0].friends.isEmpty)
        }
    }

    @Test func `stays through a rollback if it had been deleted for a while`() throws {
        try Graph.family { _, parent, child in
            parent.undoManager = UndoStack()
            let carl = try parent.person("Carl")
            carl.boss = carl
            parent.processPendingChanges()
            try child.people()[1].boss = nil
            parent.undo()
            try child.refreshAllObjects()
            parent.redo()
            let below = try child.people()
            #expect(below.count == 2 && below[1].boss === below[1])
            parent.undo()
            child.rollback()
            #expect(below[1].boss === below[1] && !below[1].isDeleted)
        }
    }
}
