import AnabranchStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Returns a sequence of the position of the last save that the file holds: the present one
    /// first, and a new one whenever the history has grown, by whichever process.
    ///
    /// So an app learns what its extension, or another process, has saved to the same file:
    ///
    /// ```swift
    /// for try await _ in coordinator.historyPositions() {
    ///     for transaction in try coordinator.history(after: last) {
    ///         try await context.perform { try $0.mergeChanges(from: transaction.objectIDChanges) }
    ///         last = transaction.position
    ///     }
    /// }
    /// ```
    ///
    /// On Linux the kernel reports that the file was written. A minute after the last write nothing
    /// runs any more. On other systems and for stores in memory, saves of other processes and
    /// coordinators are looked for once a second. A reader that is slower than the saves misses
    /// positions, never the last one.
    ///
    /// The sequence ends when the store is closed or the task is cancelled. It throws `StoreError`
    /// if the file can't be read; ask for another sequence then.
    public func historyPositions() -> AsyncThrowingStream<HistoryPosition, any Error> {
        let follower = HistoryFollower(of: store, commitListeners) { [weak self] in
            try self?.historyPositionWhileOpen()
        }
        return AsyncThrowingStream { try await follower.next() }
    }

    /// Returns the position of the last save that the file holds; `nil` if the store is closed.
    private func historyPositionWhileOpen() throws -> HistoryPosition? {
        do {
            return try currentHistoryPosition()
        } catch let error as StoreError where error.code == .closed {
            return nil
        }
    }
}

/// Waits for the growth of a history.
private final class HistoryFollower: Sendable {
    private let last = Mutex<HistoryPosition?>(nil)
    private let reports = WriteReports()
    private let wakes: AsyncStream<Void>
    private let wake: @Sendable () -> Void
    private let watch: CommitWatch?
    private let read: @Sendable () throws -> HistoryPosition?

    /// - Parameters:
    ///   - listeners: Told when something may have been committed, and ended when the store closes.
    ///     The follower tells them too, in order to wake itself.
    ///   - read: Returns the position of the last save; `nil` if the store is closed.
    init(
        of store: Store, _ listeners: EventStreams<Void>,
        read: @escaping @Sendable () throws -> HistoryPosition?
    ) {
        wakes = listeners.stream()
        wake = { [weak listeners] in listeners?.yield(()) }
        watch = try? CommitWatch(of: store) { [reports, wake] in
            reports.note(at: .now)
            wake()
        }
        self.read = read
    }

    /// Returns the next position that differs from the last one; `nil` if the store was closed or
    /// the task was cancelled.
    func next() async throws -> HistoryPosition? {
        while !Task.isCancelled {
            // The watch is armed before the look, so that no commit falls between the two.
            let isWatched = watch?.arm() ?? false
            guard let position = try read() else { return nil }
            let isNew = last.withLock { last in
                defer { last = position }
                return position != last
            }
            if isNew { return position }
            let pause = isWatched ? reports.pause(at: .now) : .seconds(1)
            guard await isWoken(within: pause) else { return nil }
        }
        return nil
    }

    /// Waits until something may have been committed, or until a time has passed.
    ///
    /// - Returns: False if the store was closed or the task was cancelled.
    private func isWoken(within pause: Duration?) async -> Bool {
        let timer = pause.map { pause in
            Task { [wake] in
                try await Task.sleep(for: pause)
                wake()
            }
        }
        defer { timer?.cancel() }
        var wakes = wakes.makeAsyncIterator()
        return await wakes.next() != nil
    }
}
