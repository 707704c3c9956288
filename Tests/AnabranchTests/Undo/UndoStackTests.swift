import Anabranch
import Dispatch
import Testing

/// A number that registers the undo of its changes.
private final class Dial {
    let stack: UndoStack
    private(set) var number = 0

    init(_ stack: UndoStack) { self.stack = stack }

    func turn(to next: Int) {
        let former = number
        number = next
        stack.registerUndo(withTarget: self) { $0.turn(to: former) }
    }
}

@Suite struct `An undo stack by itself` {
    private let stack: UndoStack
    private let dial: Dial

    init() {
        stack = UndoStack()
        stack.groupsByEvent = false
        dial = Dial(stack)
    }

    @Test func `the action that was undone last is redone first, and can be undone again`() {
        for number in 1...3 { dial.turn(to: number) }
        #expect(stack.canUndo && !stack.canRedo)
        stack.undo()
        stack.undo()
        #expect(dial.number == 1 && stack.canUndo && stack.canRedo)
        stack.redo()
        #expect(dial.number == 2)
        stack.redo()
        #expect(dial.number == 3 && !stack.canRedo)
        stack.redo()
        for number in [2, 1, 0, 0] {
            stack.undo()
            #expect(dial.number == number)
        }
        #expect(!stack.canUndo)
    }

    @Test func `a new action forgets what could be redone`() {
        dial.turn(to: 1)
        dial.turn(to: 2)
        stack.undo()
        dial.turn(to: 5)
        #expect(!stack.canRedo)
        stack.redo()
        #expect(dial.number == 5)
        stack.undo()
        stack.undo()
        #expect(dial.number == 0)
    }

    @Test func `a group is undone at once, with the groups within it`() {
        dial.turn(to: 1)
        stack.beginUndoGrouping()
        dial.turn(to: 2)
        stack.beginUndoGrouping()
        #expect(stack.groupingLevel == 2)
        dial.turn(to: 3)
        stack.endUndoGrouping()
        dial.turn(to: 4)
        stack.endUndoGrouping()
        #expect(stack.groupingLevel == 0)
        stack.undo()
        #expect(dial.number == 1)
        stack.redo()
        #expect(dial.number == 4)
    }

    @Test func `undoing ends the groups that are open, and an end too many does nothing`() {
        stack.beginUndoGrouping()
        dial.turn(to: 1)
        stack.beginUndoGrouping()
        dial.turn(to: 2)
        #expect(stack.canUndo)
        stack.undo()
        #expect(dial.number == 0 && stack.groupingLevel == 0)
        stack.endUndoGrouping()
        stack.endUndoGrouping()
        #expect(stack.canRedo)
    }

    @Test func `an empty group leaves no trace`() {
        stack.beginUndoGrouping()
        stack.endUndoGrouping()
        #expect(!stack.canUndo)
    }

    @Test func `the oldest groups are forgotten when there are more groups than levels`() {
        stack.levelsOfUndo = 2
        for number in 1...4 { dial.turn(to: number) }
        for _ in 0..<4 { stack.undo() }
        #expect(dial.number == 2)
        for _ in 0..<4 { stack.redo() }
        #expect(dial.number == 4)
        stack.levelsOfUndo = 1
        stack.undo()
        stack.undo()
        #expect(dial.number == 3)
    }

    @Test func `an action while registration is disabled is left out`() {
        dial.turn(to: 1)
        stack.disableUndoRegistration()
        stack.disableUndoRegistration()
        dial.turn(to: 2)
        stack.enableUndoRegistration()
        #expect(!stack.isUndoRegistrationEnabled)
        dial.turn(to: 3)
        stack.enableUndoRegistration()
        stack.enableUndoRegistration()
        #expect(stack.isUndoRegistrationEnabled)
        stack.undo()
        #expect(dial.number == 0 && !stack.canUndo)
    }

    @Test func `it reports whether it is undoing or redoing`() {
        final class Witness {
            var seen: [String] = []
        }
        let witness = Witness()
        func register() {
            stack.registerUndo(withTarget: witness) { [stack] witness in
                witness.seen.append(stack.isUndoing ? "undo" : stack.isRedoing ? "redo" : "none")
                stack.undo()
                stack.registerUndo(withTarget: witness) { witness in
                    witness.seen.append(stack.isRedoing ? "redo" : "none")
                }
            }
        }
        register()
        stack.undo()
        stack.redo()
        #expect(witness.seen == ["undo", "redo"] && !stack.isUndoing && !stack.isRedoing)
    }

    @Test func `an action without its target does nothing`() {
        var other: Dial? = Dial(stack)
        other?.turn(to: 1)
        other = nil
        stack.undo()
        #expect(!stack.canRedo)
    }

    @Test func `actions of one target are forgotten, or all of them`() {
        let other = Dial(stack)
        dial.turn(to: 1)
        other.turn(to: 1)
        stack.beginUndoGrouping()
        dial.turn(to: 2)
        other.turn(to: 2)
        stack.endUndoGrouping()
        stack.removeAllActions(withTarget: other)
        stack.undo()
        #expect(dial.number == 1 && other.number == 2)
        stack.undo()
        #expect(dial.number == 0 && !stack.canUndo)
        dial.turn(to: 7)
        stack.disableUndoRegistration()
        stack.removeAllActions()
        #expect(!stack.canUndo && !stack.canRedo && stack.isUndoRegistrationEnabled)
    }

    @Test func `a group has a name, which its redo keeps`() {
        #expect(stack.undoMenuItemTitle == "Undo" && stack.redoMenuItemTitle == "Redo")
        stack.beginUndoGrouping()
        stack.setActionName("Turn")
        dial.turn(to: 1)
        stack.endUndoGrouping()
        dial.turn(to: 2)
        #expect(stack.undoActionName.isEmpty)
        stack.setActionName("Turn Again")
        #expect(stack.undoActionName == "Turn Again")
        stack.undo()
        #expect(stack.undoActionName == "Turn" && stack.redoActionName == "Turn Again")
        #expect(stack.undoMenuItemTitle == "Undo Turn")
        #expect(stack.redoMenuItemTitle == "Redo Turn Again")
        stack.redo()
        #expect(stack.undoActionName == "Turn Again")
    }
}

@MainActor @Suite struct `An undo stack on the main queue` {
    @Test func `the actions registered in one event are one group`() async {
        let stack = UndoStack()
        let dial = Dial(stack)
        dial.turn(to: 1)
        dial.turn(to: 2)
        #expect(stack.groupingLevel == 1)
        await nextEvent()
        #expect(stack.groupingLevel == 0)
        dial.turn(to: 3)
        await nextEvent()
        stack.undo()
        #expect(dial.number == 2)
        stack.undo()
        #expect(dial.number == 0)
    }

    @Test func `the actions of a context and its app in one event are one group`() async throws {
        let graph = try Graph()
        let context = graph.container.viewContext
        let stack = UndoStack()
        context.undoManager = stack
        let dial = Dial(stack)
        let anna = try context.person("Anna")
        await nextEvent()
        anna.age = 1
        dial.turn(to: 1)
        anna.age = 2
        await nextEvent()
        anna.age = 3
        await nextEvent()
        stack.undo()
        #expect(anna.age == 2 && dial.number == 1)
        stack.undo()
        #expect(anna.age == 0 && dial.number == 0)
        stack.redo()
        #expect(anna.age == 2 && dial.number == 1)
        // The app's own actions stay on the stack.
        context.undoManager = nil
        stack.undo()
        #expect(anna.age == 2 && dial.number == 0 && !stack.canUndo)
    }

    private func nextEvent() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}
