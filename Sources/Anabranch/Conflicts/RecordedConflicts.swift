public import AnabranchStore
public import Foundation

/// What one page of remote changes has added to the conflict journal.
public struct RecordedConflicts: Sendable {
    /// In the order in which they were written down.
    public let ids: [Conflict.ID]
    /// Whose values lost, each once; objects of entities that the model does not know are not
    /// among them.
    public let objectIDs: ObjectIDList

    public var count: Int { ids.count }

    init(_ conflicts: [RecordedConflict], origin: StoreOrigin) {
        ids = conflicts.map(\.id)
        var known: Set<Int64> = []
        objectIDs = ObjectIDList(
            origin,
            conflicts.compactMap { conflict in
                guard let entity = conflict.entity, known.insert(conflict.record).inserted else {
                    return nil
                }
                return ObjectIDList.Item(
                    id: conflict.record, entityIndex: Int32(truncatingIfNeeded: entity.index))
            })
    }
}

extension PersistentStoreCoordinator {
    /// Merging has discarded something; posted once a page, when every context shows the page,
    /// and before the ``conflictResolver`` runs. On a queue of no context.
    public static let didRecordConflicts = Notification.Name(
        "AnabranchCoordinatorDidRecordConflicts")
    /// The ``conflictResolver`` has run, or failed.
    public static let didResolveConflicts = Notification.Name(
        "AnabranchCoordinatorDidResolveConflicts")

    /// What merging discards from now on, page by page.
    ///
    /// The sequence ends with the coordinator; who stops iterating stops listening.
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

    /// What ``PersistentStoreCoordinator/didRecordConflicts`` tells; `nil` of any other
    /// notification.
    public var recordedConflicts: RecordedConflicts? {
        userInfo?[Self.recordedConflictsKey] as? RecordedConflicts
    }

    /// What ``PersistentStoreCoordinator/didResolveConflicts`` tells; `nil` of any other
    /// notification.
    public var conflictResolution: ConflictResolution? {
        userInfo?[Self.conflictResolutionKey] as? ConflictResolution
    }
}
