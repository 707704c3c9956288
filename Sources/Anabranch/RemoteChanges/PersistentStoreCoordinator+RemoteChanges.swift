package import AnabranchStore
import Dispatch

extension PersistentStoreCoordinator {
    /// Passes changes that a sync or a bundle applied to the store to the contexts.
    ///
    /// Each context that merges changes by itself refreshes its registered objects on its own
    /// queue. After that, notifications report rejected saves, conflicts and what view rules hide
    /// now, and the app's resolver runs if there are conflicts.
    ///
    /// - Parameters:
    ///   - author: The author that notifications name.
    ///   - whenMerged: Called after every context and the resolver are done.
    package func didApply(
        _ changes: ChangedRecords, author: String = "sync",
        whenMerged: (@Sendable () -> Void)? = nil
    ) {
        if !changes.isEmpty { postRemoteChange(author: author) }
        let group = DispatchGroup()
        links.enqueue(in: group) {
            $0.mergeAutomatically(changes, author: author, in: group)
        }
        if !changes.rejections.isEmpty {
            group.notify(queue: .global()) { [self] in post(changes.rejections) }
        }
        guard !changes.conflicts.isEmpty || !changes.hiding.isEmpty else {
            if let whenMerged { group.notify(queue: .global(), execute: whenMerged) }
            return
        }
        group.notify(queue: .global()) { [self] in
            notify(of: changes, whenResolved: whenMerged)
        }
    }

    private func notify(of changes: ChangedRecords, whenResolved: (@Sendable () -> Void)?) {
        let recorded = RecordedConflicts(changes.conflicts, hiding: changes.hiding, origin: origin)
        post(recorded)
        guard !recorded.ids.isEmpty else {
            whenResolved?()
            return
        }
        resolverQueue.run(.numbers(recorded.ids), on: self) { _ in whenResolved?() }
    }
}
