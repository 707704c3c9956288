import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `Undoing changes of values` {
    @Test func `without an undo stack there is none, and nothing happens`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            #expect(context.undoManager == nil)
            let anna = try context.person("Anna")
            context.processPendingChanges()
            context.undo()
            context.redo()
            #expect(anna.firstName == "Anna" && anna.isInserted)
            context.rollback()
            #expect(anna.managedObjectContext == nil && !context.hasChanges)
        }
    }

    @Test func `an attribute has its former value, and the new one again`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("a")
            try context.save()
            context.undoManager = UndoStack()
            anna.firstName = "b"
            context.processPendingChanges()
            context.undo()
            #expect(anna.firstName == "a" && !context.hasChanges && !anna.hasChanges)
            #expect(try anna.committedValues(forKeys: ["firstName"]) == ["firstName": "a"])
            context.redo()
            #expect(anna.firstName == "b" && anna.isUpdated)
            #expect(try anna.changedValues() == ["firstName": "b"])
            try context.save()
            context.undo()
            #expect(anna.firstName == "a" && anna.isUpdated)
            try context.save()
        }
        try graph.inContext { context throws in
            #expect(try context.people().first?.firstName == "a")
        }
    }

    @Test func `several writes of one event are one step, and pending ones count`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            context.processPendingChanges()
            for number in 1...5 { thing["count"] = .integer(Int64(number)) }
            thing["mood"] = "good"
            #expect(stack.canUndo)
            context.undo()
            #expect(thing["count"] == 0 && thing["mood"].isNull && thing.givenMark == "a")
            context.redo()
            #expect(thing["count"] == 5 && thing["mood"] == "good")
            thing["count"] = 9
            #expect(!stack.canRedo)
            context.redo()
            #expect(thing["count"] == 9)
            context.undo()
            context.undo()
            context.undo()
            #expect(thing.managedObjectContext == nil && !stack.canUndo)
        }
    }

    @Test func `the body of perform is one group`() async throws {
        let graph = try Graph()
        let background = graph.context()
        try await background.perform { context in
            context.undoManager = UndoStack()
            _ = try context.person("Anna", age: 1)
        }
        try await background.perform { context in
            let anna = try context.people()[0]
            anna.age = 2
            anna.lastName = "Berg"
        }
        try await background.perform { context in
            let anna = try context.people()[0]
            context.undo()
            #expect(anna.age == 1 && anna.lastName == nil)
            context.undo()
            #expect(try context.people().isEmpty && !context.hasChanges)
        }
    }

    @Test func `an undo is reported as a change`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            context.undoManager = UndoStack()
            anna.age = 1
            let bob = try context.person("Bob")
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            context.undo()
            #expect(log.all.count == 2)
            #expect(log.all.map { Array($0.updated) } == [[anna.objectID], [anna.objectID]])
            #expect(log.all.map { Array($0.inserted) } == [[bob.objectID], []])
            #expect(log.all.map { Array($0.deleted) } == [[], [bob.objectID]])
            log.clear()
            context.redo()
            #expect(log.all.map { Array($0.inserted) } == [[bob.objectID]])
        }
    }

    @Test func `a change while registration is disabled is left out`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            context.processPendingChanges()
            thing["x"] = 1
            stack.disableUndoRegistration()
            thing["y"] = 2
            let other = try context.thing("b")
            stack.enableUndoRegistration()
            thing["x"] = 3
            context.processPendingChanges()
            context.undo()
            #expect(thing["x"] == 1 && thing["y"] == 2)
            context.undo()
            #expect(thing["x"].isNull && thing["y"] == 2 && other.managedObjectContext != nil)
            context.undo()
            #expect(thing.managedObjectContext == nil && other.managedObjectContext != nil)
            #expect(!stack.canUndo)
        }
    }

    @Test func `groups nest, and one undo reverts the outermost`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            thing["count"] = 1
            stack.beginUndoGrouping()
            thing["count"] = 2
            stack.beginUndoGrouping()
            thing["count"] = 3
            context.processPendingChanges()
            thing["count"] = 4
            stack.endUndoGrouping()
            thing["count"] = 5
            stack.setActionName("Count")
            stack.endUndoGrouping()
            #expect(stack.undoActionName == "Count")
            context.undo()
            #expect(thing["count"] == 1 && stack.redoActionName == "Count")
            context.redo()
            #expect(thing["count"] == 5)
        }
    }

    @Test func `only so many events as there are levels can be undone`() throws {
        try Workshop().undoing { context, stack throws in
            stack.levelsOfUndo = 2
            let thing = try context.thing("a")
            for number in 1...4 {
                thing["count"] = .integer(Int64(number))
                context.processPendingChanges()
            }
            for _ in 0..<4 { context.undo() }
            #expect(thing["count"] == 2)
        }
    }

    @Test func `a rollback and a reset leave nothing to undo`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            try context.save()
            #expect(stack.canUndo)
            thing["count"] = 1
            context.processPendingChanges()
            thing["count"] = 2
            context.rollback()
            #expect(thing["count"] == 0 && !stack.canUndo && !stack.canRedo)
            context.undo()
            #expect(thing["count"] == 0 && thing.managedObjectContext != nil)
            thing["count"] = 1
            context.processPendingChanges()
            #expect(stack.canUndo)
            context.reset()
            #expect(!stack.canUndo)
        }
    }

    @Test func `one may undo past a save, and save that`() throws {
        let workshop = try Workshop()
        try workshop.undoing { context, stack throws in
            let thing = try context.thing("a")
            try context.save()
            thing["count"] = 1
            try context.save()
            thing["count"] = 2
            try context.save()
            context.undo()
            context.undo()
            #expect(thing["count"] == 0 && thing.isUpdated)
            try context.save()
            #expect(stack.canRedo && !context.hasChanges)
            context.redo()
            #expect(thing["count"] == 1)
            context.undo()
            #expect(!context.hasChanges)
        }
        try workshop.inContext { context throws in
            #expect(try context.find("a")?["count"] == 0)
        }
    }

    @Test func `a change by willSave is undone with its cause`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.undoManager = UndoStack()
            let anna = try context.person("Anna")
            try context.save()
            anna.onWillSave = { if $0.lastName == nil { $0.lastName = "saved" } }
            anna.age = 4
            try context.save()
            #expect(anna.lastName == "saved")
            context.undo()
            #expect(anna.age == 0 && anna.lastName == nil && anna.managedObjectContext != nil)
        }
    }

    @Test func `members of a group of attributes come back, with what was set as a whole`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            thing["x"] = 1
            try context.save()
            thing["x"] = 2
            thing["y"] = 3
            context.processPendingChanges()
            context.undo()
            #expect(thing["x"] == 1 && thing["y"].isNull && !context.hasChanges)
            context.redo()
            #expect(thing["x"] == 2 && thing["y"] == 3)
        }
    }

    @Test func `a change that changes nothing leaves nothing to undo`() throws {
        try Workshop().undoing { context, stack throws in
            let thing = try context.thing("a")
            try context.save()
            stack.removeAllActions()
            thing["name"] = "a"
            context.processPendingChanges()
            #expect(!stack.canUndo && context.hasChanges)
        }
    }

    @Test func `one change among many objects is undone without a look at the unchanged ones`()
        throws
    {
        let workshop = try Workshop()
        func duration(among count: Int) throws -> Duration {
            try workshop.undoing { context, stack throws in
                stack.disableUndoRegistration()
                let things = try (0..<count).map { try context.thing("\($0)") }
                stack.enableUndoRegistration()
                let taken = try (0..<20).map { number in
                    let thing = things[number]
                    try context.step { thing["count"] = 1 }
                    return ThreadTime.measure { context.undo() }
                }
                #expect(things[19]["count"] == 0)
                context.rollback()
                return taken.min() ?? .zero
            }
        }
        // A look at each of the other objects would take some milliseconds.
        #expect(try duration(among: 20_000) < duration(among: 100) * 10 + .microseconds(500))
    }
}
