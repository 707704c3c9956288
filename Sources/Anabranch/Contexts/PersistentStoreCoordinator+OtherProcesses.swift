import AnabranchStore
import Dispatch

// The history names the records that another process has changed. So what happened meanwhile takes
// no memory but for the IDs of one page, and the contexts read their objects again. Where the
// history does not suffice, they compare all that they have.
extension PersistentStoreCoordinator {
    /// Starts to pass what other openings of the file commit to the contexts, and to report it.
    ///
    /// The task does not keep the coordinator alive. It ends when the store closes.
    ///
    /// - Parameter progress: The progress of the history up to which all is known.
    func followOtherProcesses(since progress: HistoryProgress) -> Task<Void, Never> {
        let follower = CommitFollower(commits, since: progress, ofOwnSaves: false) { [weak self] in
            try self?.whileOpen { try $0.store.historyProgress() }
        }
        return Task(priority: .utility) { [weak self] in
            var progress = progress
            var failures = 0
            do {
                while true {
                    if failures == 0, try await follower.next() == nil { return }
                    do {
                        while let changes = try self?.foreignChanges(after: progress) {
                            progress = changes.progress
                            await self?.enqueue(changes).untilNotified()
                            if changes.isLast { break }
                        }
                        failures = 0
                    } catch {
                        failures += 1
                    }
                    guard self != nil else { return }
                    // Commits that follow one another at once are merged together.
                    try await Task.sleep(for: Self.pause(afterFailures: failures))
                }
            } catch {
                // The task was cancelled, or the store can't be read any more.
            }
        }
    }

    private static func pause(afterFailures failures: Int) -> Duration {
        failures == 0 ? .milliseconds(20) : .seconds(min(failures, 60))
    }

    /// - Returns: `nil` if the store is closed.
    private func foreignChanges(after progress: HistoryProgress) throws -> ForeignChanges? {
        try whileOpen { try $0.store.foreignChanges(after: progress) }
    }

    /// Passes changes to every context that follows by itself, and reports them.
    ///
    /// - Returns: The group of the contexts that have not merged them yet.
    private func enqueue(_ changes: ForeignChanges) -> DispatchGroup {
        let group = DispatchGroup()
        let records = changes.records
        guard changes.author != nil || !records.isEmpty else { return group }
        let author = changes.author ?? "sync"
        links.enqueue(in: group) { $0.mergeAutomatically(records, author: author, in: group) }
        postRemoteChange(at: changes.progress.position, author: author)
        return group
    }

    /// Runs a closure that reads the store.
    ///
    /// - Returns: `nil` if the store is closed.
    func whileOpen<Result>(
        _ body: (PersistentStoreCoordinator) throws -> Result
    ) throws -> Result? {
        do {
            return try body(self)
        } catch let error as StoreError where error.code == .closed {
            return nil
        }
    }
}

extension DispatchGroup {
    /// Waits until all of the group is done, without a thread.
    fileprivate func untilNotified() async {
        await withCheckedContinuation { continuation in
            notify(queue: .global()) { continuation.resume() }
        }
    }
}
