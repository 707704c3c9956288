import Dispatch

/// What can be undone and redone, in groups: the last group first.
///
/// A context that has one as its ``ManagedObjectContext/undoManager`` registers what changes in
/// it; an app may register actions of its own beside that. While ``groupsByEvent`` is set, what
/// belongs to one event is one group: until the context processes its pending changes, which it
/// does at the end of an event of the main queue, of `perform` and of a save. Groups that are
/// begun by ``beginUndoGrouping()`` stand for themselves.
///
/// It is used on the queue of its contexts. It does what Foundation's `UndoManager` does on the
/// platforms that have that; it has a name of its own so that an app may import both.
public final class UndoStack {
    private var done: [UndoGroup] = []
    private var undone: [UndoGroup] = []
    /// Outermost first.
    private var open: [UndoGroup] = []
    /// Whether the only open group is one that ends with the event.
    private var isEventOpen = false
    private var isEventEndScheduled = false
    private var disabledCount = 0
    private var participants: [UndoParticipant] = []

    /// Whether what is registered outside of a group is one group until the event ends. If not,
    /// every registration is a group of its own.
    public var groupsByEvent = true
    /// How many groups can be undone; earlier ones are forgotten. 0: all.
    public var levelsOfUndo = 0 { didSet { forgetOldest() } }
    public private(set) var isUndoing = false
    public private(set) var isRedoing = false

    public init() {}

    /// How many groups are open.
    public var groupingLevel: Int { open.count }
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Whether there is something to undo; changes that are not processed yet count.
    public var canUndo: Bool {
        !done.isEmpty || open.contains { !$0.actions.isEmpty } || hasQueuedChanges
    }

    /// Whether there is something to redo: since the last undo nothing else has changed.
    public var canRedo: Bool { !undone.isEmpty && !hasQueuedChanges }
}

@available(*, unavailable)
extension UndoStack: Sendable {}

// Undoing.
extension UndoStack {
    /// Takes back the last group, which then can be redone. Ends every group that is open and
    /// processes pending changes first.
    public func undo() {
        guard !isUndoing, !isRedoing else { return }
        endAllGroups()
        guard let group = done.popLast() else { return }
        isUndoing = true
        undone += takeBack(group)
        isUndoing = false
    }

    /// Does again what was undone last. Processes pending changes first: if there are any, there
    /// is nothing to redo any more.
    public func redo() {
        guard !isUndoing, !isRedoing else { return }
        endAllGroups()
        guard let group = undone.popLast() else { return }
        isRedoing = true
        done += takeBack(group)
        isRedoing = false
        forgetOldest()
    }

    /// - Returns: The group that takes back what is done here, if there is something to it.
    private func takeBack(_ group: UndoGroup) -> [UndoGroup] {
        open = [UndoGroup(name: group.name)]
        for action in group.actions.reversed() where action.target != nil { action.perform() }
        processParticipants()
        let actions = open.flatMap(\.actions)
        let name = open.first?.name ?? ""
        open = []
        isEventOpen = false
        return actions.isEmpty ? [] : [UndoGroup(name: name, actions: actions)]
    }

    private func endAllGroups() {
        endEvent()
        while !open.isEmpty { closeLast() }
        isEventOpen = false
    }
}

// Grouping.
extension UndoStack {
    /// Begins a group, within the one that is open. What has changed before is not part of it.
    public func beginUndoGrouping() {
        endEvent()
        open.append(UndoGroup())
    }

    /// Ends the group that was begun last, with what has changed until now. An empty group leaves
    /// no trace; with none open it does nothing.
    public func endUndoGrouping() {
        processParticipants()
        closeEvent()
        closeLast()
    }

    /// Lets the contexts register what has changed, and closes the event's group.
    func endEvent() {
        processParticipants()
        closeEvent()
    }

    /// The event of a context is over.
    func closeEvent() {
        guard isEventOpen else { return }
        isEventOpen = false
        closeLast()
    }

    private func closeLast() {
        guard let group = open.popLast(), !group.actions.isEmpty else { return }
        guard let parent = open.indices.last else {
            done.append(group)
            return forgetOldest()
        }
        open[parent].actions += group.actions
        if open[parent].name.isEmpty { open[parent].name = group.name }
    }

    private func forgetOldest() {
        guard levelsOfUndo > 0, done.count > levelsOfUndo else { return }
        done.removeFirst(done.count - levelsOfUndo)
    }

    private func openEvent() {
        open.append(UndoGroup())
        isEventOpen = true
        guard groupsByEvent, ContextQueue.main.isCurrent, !isEventEndScheduled else { return }
        isEventEndScheduled = true
        let end = EventEnd(self)
        DispatchQueue.main.async { end.run { $0.isEventEndScheduled = false } }
    }
}

// Registering.
extension UndoStack {
    /// Registers an action of the app: what takes back what it has just done.
    ///
    /// While undoing it is what redoes; otherwise what could be redone is forgotten.
    ///
    /// - Parameters:
    ///   - target: Given to the body. It is not kept alive; without it the action does nothing.
    ///   - handler: Registers what takes back what it does itself.
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) -> Void
    ) {
        register(
            UndoGroup.Action(target: target) { [weak target] in
                if let target { handler(target) }
            })
    }

    private func register(_ action: UndoGroup.Action) {
        guard isUndoRegistrationEnabled else { return }
        if !isUndoing, !isRedoing { undone = [] }
        if open.isEmpty { openEvent() }
        open[open.count - 1].actions.append(action)
        if !groupsByEvent { closeEvent() }
    }

    /// Leaves out what is changed until ``enableUndoRegistration()`` is called as often. Changes
    /// until now are processed and registered.
    public func disableUndoRegistration() {
        if disabledCount == 0 { processParticipants() }
        disabledCount += 1
    }

    /// Takes back one ``disableUndoRegistration()``. Changes until now are processed, and left
    /// out. Where registration is enabled it does nothing.
    public func enableUndoRegistration() {
        guard disabledCount > 0 else { return }
        if disabledCount == 1 { processParticipants() }
        disabledCount -= 1
    }

    /// Forgets everything, also what is not processed yet, and enables registration.
    public func removeAllActions() {
        processParticipants()
        forgetAll()
        disabledCount = 0
    }

    /// Forgets the actions of one target.
    public func removeAllActions(withTarget target: AnyObject) {
        func isOthers(_ action: UndoGroup.Action) -> Bool { action.target !== target }
        for index in open.indices { open[index].actions.removeAll { !isOthers($0) } }
        for stack in [\UndoStack.done, \UndoStack.undone] {
            self[keyPath: stack] = self[keyPath: stack].compactMap { group in
                var group = group
                group.actions = group.actions.filter(isOthers)
                return group.actions.isEmpty ? nil : group
            }
        }
    }

    /// Groups that are open stay so.
    func forgetAll() {
        done = []
        undone = []
        for index in open.indices { open[index] = UndoGroup() }
    }
}

// Action names.
extension UndoStack {
    /// What undoing the last group is called, without "Undo"; empty where it has no name.
    public var undoActionName: String {
        open.first { !$0.name.isEmpty }?.name ?? done.last?.name ?? ""
    }

    /// What redoing is called, without "Redo"; empty where it has no name.
    public var redoActionName: String { undone.last?.name ?? "" }

    /// `Undo Rename`, or `Undo`.
    public var undoMenuItemTitle: String { title("Undo", undoActionName) }
    /// `Redo Rename`, or `Redo`.
    public var redoMenuItemTitle: String { title("Redo", redoActionName) }

    private func title(_ verb: String, _ name: String) -> String {
        name.isEmpty ? verb : "\(verb) \(name)"
    }

    /// Names the group that is open, else what is not processed yet, else the last group.
    public func setActionName(_ name: String) {
        if open.isEmpty, hasQueuedChanges {
            if groupsByEvent { openEvent() } else { endEvent() }
        }
        if let last = open.indices.last {
            open[last].name = name
        } else if let last = done.indices.last {
            done[last].name = name
        }
    }
}

// Contexts.
extension UndoStack {
    func connect(_ context: ManagedObjectContext) {
        participants.removeAll { $0.context == nil }
        participants.append(UndoParticipant(context: context))
    }

    func disconnect(_ context: ManagedObjectContext) {
        participants.removeAll { $0.context == nil || $0.context === context }
        removeAllActions(withTarget: context)
    }

    private var hasQueuedChanges: Bool {
        participants.contains { $0.context?.recorder?.hasChanges ?? false }
    }

    private func processParticipants() {
        for participant in participants { participant.context?.processForUndo() }
    }
}

/// Ends an event of the main queue later, if the stack is still there.
private final class EventEnd: Sendable {
    // Made and used on the main queue only.
    nonisolated(unsafe) private weak var stack: UndoStack?

    init(_ stack: UndoStack) { self.stack = stack }

    func run(_ prepare: (UndoStack) -> Void) {
        guard let stack else { return }
        prepare(stack)
        stack.endEvent()
    }
}
