import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// The undo stack with which the context registers its changes. It is `nil` by default, and
    /// then nothing can be undone and no former values are kept.
    ///
    /// Changes before it is set can't be undone. A save does not empty it: a change can be undone
    /// after a save, and the result saved. A rollback and a reset empty it.
    public var undoManager: UndoStack? {
        get { recorder?.stack }
        set {
            guard newValue !== recorder?.stack else { return }
            processPendingChanges()
            recorder?.stack.disconnect(self)
            recorder = newValue.map(ChangeRecorder.init)
            newValue?.connect(self)
        }
    }

    /// Undoes the last group of the undo stack; without an undo stack it does nothing.
    ///
    /// Each property, link, list position, insertion and deletion of the group is undone
    /// separately. Changes that another context or replica has made since stay, and objects that
    /// were deleted in the store are left out. Undoing a saved insertion deletes the object.
    /// Undoing a saved deletion recreates the object as a new record with the same Swift object
    /// (``ObjectIDChanges/renamed``). The next save throws an error of the store.
    public func undo() {
        checkQueue()
        undoManager?.undo()
    }

    /// Redoes the last undone group, in the way of ``undo()``; without an undo stack it does
    /// nothing.
    public func redo() {
        checkQueue()
        undoManager?.redo()
    }
}

extension ManagedObjectContext {
    /// The stack wants everything that has changed so far.
    func processForUndo() {
        if let recorder, !recorder.isPropagating, !event.isEmpty { processPendingChanges() }
    }

    /// At the end of an event.
    func registerUndo() {
        guard let recorder, recorder.hasChanges else { return }
        recordListsOfWaiting(recorder)
        let record = recorder.take()
        guard recorder.stack.isUndoRegistrationEnabled,
            let step = UndoStep(
                record, earlierValues: event.earlierValues, recorder, in: self)
        else { return }
        recorder.stack.registerUndo(withTarget: self) { $0.takeBack(step) }
    }

    private func takeBack(_ step: UndoStep) {
        checkQueue()
        guard let recorder else { return }
        do {
            var undoing = Undoing(step, in: self, recorder)
            try undoing.run()
        } catch {
            keep(error)
        }
        processPendingChanges()
    }

    /// Nothing can be undone any more.
    func forgetUndo() {
        recorder?.forgetAll()
        recorder?.stack.forgetAll()
    }

    /// Runs what takes back changes by itself, as an event of its own.
    func withoutUndo(_ body: () throws -> Void) throws {
        guard let recorder, !recorder.isSuspended else { return try body() }
        announceChanges()
        recorder.isSuspended = true
        defer {
            announceChanges()
            recorder.isSuspended = false
        }
        try body()
    }
}
