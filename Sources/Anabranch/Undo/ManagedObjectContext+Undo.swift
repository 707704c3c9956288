import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Where the context registers what changes in it; none at first, and then nothing can be
    /// undone and nothing is kept for it.
    ///
    /// What was changed before it is set is no part of it. Saving leaves it as it is: one may undo
    /// past a save, and save that. A rollback and a reset empty it.
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

    /// Takes back the last group of the undo stack; without one it does nothing.
    ///
    /// Of what that group has changed each property, link, place in a list, insertion and deletion
    /// is taken back by itself: what others have changed meanwhile stays, and what somebody else
    /// has deleted is left out. An insertion that was saved is deleted, a deletion that was saved
    /// made anew: the object is the same, its record another (``ObjectIDChanges/renamed``). An
    /// error of the store is thrown by the next save.
    public func undo() {
        checkQueue()
        undoManager?.undo()
    }

    /// Does again what was undone last; without an undo stack it does nothing. As ``undo()``.
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
        noteListsOfWaiting(recorder)
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
