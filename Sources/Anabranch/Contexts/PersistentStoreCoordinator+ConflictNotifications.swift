import AnabranchStore
public import Foundation

extension PersistentStoreCoordinator {
    /// Posted when saved values were discarded, or when a merge lets a view rule hide a value, and
    /// before the ``conflictResolver`` runs.
    ///
    /// It is posted once per page of remote changes, after every context that merges it shows the
    /// page, and not on the queue of a context. It is also posted after a save that has overwritten
    /// or deleted values which its author had not seen, on the queue of the saving context.
    public static let didRecordConflicts = Notification.Name(
        "AnabranchCoordinatorDidRecordConflicts")
    /// Posted after the ``conflictResolver`` has run or failed.
    public static let didResolveConflicts = Notification.Name(
        "AnabranchCoordinatorDidResolveConflicts")

    /// Returns a sequence of the conflicts that are recorded from now on, one element per page
    /// and per save that discards values, and per page since which a view rule hides a value.
    ///
    /// The sequence ends with the coordinator. Stop iterating to unsubscribe. It keeps the newest
    /// 1,024 elements for a slow reader; the journal has all conflicts.
    public func recordedConflicts() -> AsyncStream<RecordedConflicts> {
        conflictListeners.stream()
    }

    /// Reports values that a save has discarded, and passes them to the resolver, unless it is the
    /// resolver's own save.
    func didRecord(_ conflicts: [RecordedConflict], on queue: ContextQueue) {
        let recorded = RecordedConflicts(conflicts, origin: origin)
        post(recorded)
        if queue.dispatchQueue !== resolverQueue.queue.dispatchQueue {
            resolverQueue.whenRecorded?(recorded.ids, self)
        }
    }

    func post(_ conflicts: RecordedConflicts) {
        NotificationCenter.default.post(
            name: Self.didRecordConflicts, object: self,
            userInfo: [Notification.recordedConflictsKey: conflicts])
        conflictListeners.yield(conflicts)
    }

    func post(_ resolution: ConflictResolution) {
        NotificationCenter.default.post(
            name: Self.didResolveConflicts, object: self,
            userInfo: [Notification.conflictResolutionKey: resolution])
    }
}

extension Notification {
    static let recordedConflictsKey = "AnabranchRecordedConflicts"
    static let conflictResolutionKey = "AnabranchConflictResolution"

    /// The payload of ``PersistentStoreCoordinator/didRecordConflicts``; `nil` for any other
    /// notification.
    public var recordedConflicts: RecordedConflicts? {
        userInfo?[Self.recordedConflictsKey] as? RecordedConflicts
    }

    /// The payload of ``PersistentStoreCoordinator/didResolveConflicts``; `nil` for any other
    /// notification.
    public var conflictResolution: ConflictResolution? {
        userInfo?[Self.conflictResolutionKey] as? ConflictResolution
    }
}
