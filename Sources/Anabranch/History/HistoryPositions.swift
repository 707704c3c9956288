extension PersistentStoreCoordinator {
    /// Returns a sequence of the position of the last save that the file holds: the present one
    /// first, and a new one whenever the history has grown, by whichever process.
    ///
    /// Contexts and ``remoteChanges()`` follow the saves of other processes by themselves, unless
    /// ``PersistentStoreDescription/followsOtherProcesses`` is false. This sequence is for code
    /// that works through the history itself:
    ///
    /// ```swift
    /// for try await _ in coordinator.historyPositions() {
    ///     for transaction in try coordinator.history(after: last) {
    ///         index(transaction.changes)
    ///         last = transaction.position
    ///     }
    /// }
    /// ```
    ///
    /// On Linux the kernel reports that the file was written. A minute after the last write nothing
    /// runs any more. On other systems, saves of other processes and coordinators are looked for
    /// once a second. A reader that is slower than the saves misses positions, never the last one.
    ///
    /// The sequence ends when the store is closed or the task is cancelled. It throws `StoreError`
    /// if the file can't be read; ask for another sequence then.
    public func historyPositions() -> AsyncThrowingStream<HistoryPosition, any Error> {
        let follower = CommitFollower(commits) { [weak self] in
            try self?.whileOpen { try $0.currentHistoryPosition() }
        }
        return AsyncThrowingStream { try await follower.next() }
    }
}
