import Dispatch

/// A stack of undo groups and a stack of redo groups.
///
/// A context that has it as its ``ManagedObjectContext/undoManager`` registers its changes; an app
/// can register actions of its own. While ``groupsByEvent`` is true, the registrations of one
/// event form one group. An event ends when the context processes its pending changes: at the end
/// of an event of the main queue, of `perform`, and of a save. ``beginUndoGrouping()`` begins a
/// group of its own.
///
/// Use it on the queue of its contexts only. It does what Foundation's `UndoManager` does on
/// platforms that have one; the different name lets an app import both.
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

    /// True if registrations outside a group form one group until the event ends. If it is false,
    /// every registration is a group of its own.
    public var groupsByEvent = true
    /// The number of groups that can be undone; earlier groups are discarded. Zero keeps all.
    public var levelsOfUndo = 0 { didSet { forgetOldest() } }
    /// True while a group is being undone.
    public private(set) var isUndoing = false
    /// True while a group is being redone.
    public private(set) var isRedoing = false

    /// Creates an empty stack.
    public init() {}

    /// The number of open groups.
    public var groupingLevel: Int { open.count }
    /// True unless ``disableUndoRegistration()`` was called more often than
    /// ``enableUndoRegistration()``.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// True if there is something to undo. Changes that are not processed yet count.
    public var canUndo: Bool {
        !done.isEmpty || open.contains { !$0.actions.isEmpty } || hasQueuedChanges
    }

    /// True if there is something to redo: an undone group, and no change since the undo.
    public var canRedo: Bool { !undone.isEmpty && !hasQueuedChanges }
}

@available(*, unavailable)
extension UndoStack: Sendable {}

// Undoing.
extension UndoStack {
    /// Undoes the last group, which can then be redone. It first closes every open group and
    /// processes pending changes.
    public func undo() {
        guard !isUndoing, !isRedoing else { return }
        endAllGroups()
        guard let group = done.popLast() else { return }
        isUndoing = true
        undone += takeBack(group)
        isUndoing = false
    }

    /// Redoes the last undone group. It first processes pending changes; if there are any, nothing
    /// can be redone any more.
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
    /// Begins a group inside the open one. Earlier changes are not part of it.
    public func beginUndoGrouping() {
        endEvent()
        open.append(UndoGroup())
    }

    /// Closes the group that was begun last, with the changes until now. An empty group is
    /// dropped; without an open group the call has no effect.
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
    /// Registers an action of the app that undoes what the app has just done.
    ///
    /// An action that is registered during an undo is its redo. Otherwise the redo stack is
    /// emptied.
    ///
    /// - Parameters:
    ///   - target: The object that the closure gets. The stack does not keep it alive; after it is
    ///     deallocated the action does nothing.
    ///   - handler: The closure that undoes. It registers in turn an action that undoes its own
    ///     effect.
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

    /// Stops the registration of changes until ``enableUndoRegistration()`` was called as often.
    /// Earlier changes are processed and registered first.
    public func disableUndoRegistration() {
        if disabledCount == 0 { processParticipants() }
        disabledCount += 1
    }

    /// Reverses one call of ``disableUndoRegistration()``. Changes until now are processed and not
    /// registered. If registration is enabled, it does nothing.
    public func enableUndoRegistration() {
        guard disabledCount > 0 else { return }
        if disabledCount == 1 { processParticipants() }
        disabledCount -= 1
    }

    /// Empties both stacks, drops changes that are not processed yet, and enables registration.
    public func removeAllActions() {
        processParticipants()
        forgetAll()
        disabledCount = 0
    }

    /// Removes the actions of one target from both stacks.
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
    /// The name of the last group, without "Undo"; empty if it has none.
    public var undoActionName: String {
        open.first { !$0.name.isEmpty }?.name ?? done.last?.name ?? ""
    }

    /// The name of the group to redo, without "Redo"; empty if it has none.
    public var redoActionName: String { undone.last?.name ?? "" }

    /// The title of an undo menu item: `Undo Rename`, or `Undo`.
    public var undoMenuItemTitle: String { title("Undo", undoActionName) }
    /// The title of a redo menu item: `Redo Rename`, or `Redo`.
    public var redoMenuItemTitle: String { title("Redo", redoActionName) }

    private func title(_ verb: String, _ name: String) -> String {
        name.isEmpty ? verb : "\(verb) \(name)"
    }

    /// Names the open group, otherwise the changes that are not processed yet, otherwise the last
    /// group.
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
