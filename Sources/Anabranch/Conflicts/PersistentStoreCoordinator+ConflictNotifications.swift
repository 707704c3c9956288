public import Foundation

extension PersistentStoreCoordinator {
    /// Posted when merging has discarded values: once per page, after every context shows the page
    /// and before the ``conflictResolver`` runs. It is not posted on the queue of a context.
    public static let didRecordConflicts = Notification.Name(
        "AnabranchCoordinatorDidRecordConflicts")
    /// Posted after the ``conflictResolver`` has run or failed.
    public static let didResolveConflicts = Notification.Name(
        "AnabranchCoordinatorDidResolveConflicts")

    /// Returns a sequence of the conflicts that are recorded from now on, one element per page.
    ///
    /// The sequence ends with the coordinator. Stop iterating to unsubscribe. It keeps the newest
    /// 1,024 elements for a slow reader; the journal has all conflicts.
    public func recordedConflicts() -> AsyncStream<RecordedConflicts> {
        conflictListeners.stream()
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
