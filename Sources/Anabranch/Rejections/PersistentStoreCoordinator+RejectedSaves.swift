public import AnabranchStore
public import Foundation

extension PersistentStoreCoordinator {
    /// Returns the saves of this store that a zone has permanently rejected, the last rejection
    /// first.
    ///
    /// The store's records do not contain the changes of these saves any more. Only records that
    /// wait for repair can still contain them.
    ///
    /// - Throws: `StoreError`.
    public func rejectedSaves() throws -> [RejectedSave] { try store.rejectedSaves() }

    /// Returns one rejected save by its number.
    ///
    /// - Returns: `nil` if there is none with that number, or it was discarded.
    /// - Throws: `StoreError`.
    public func rejectedSave(_ id: RejectedSave.ID) throws -> RejectedSave? {
        try store.rejectedSave(id)
    }

    /// Returns the number of rejected saves without reading them.
    ///
    /// - Throws: `StoreError`.
    package func rejectedSaveCount() throws -> Int { try store.rejectedSaveCount() }

    /// Permanently removes rejected saves from their table.
    ///
    /// - Returns: The number of removed saves.
    /// - Throws: `StoreError`; nothing was removed then.
    @discardableResult
    public func discardRejectedSaves(_ ids: [RejectedSave.ID]) throws -> Int {
        try store.discardRejectedSaves(ids)
    }
}

extension PersistentStoreCoordinator {
    /// Posted after a zone has rejected saves of this store. It is not posted on a context's queue.
    ///
    /// By then, every context has removed the objects that these saves inserted. The other records
    /// that the saves changed wait for repair. The exchange fetches their state from the zone and
    /// reports it as a remote change.
    public static let didRejectSaves = Notification.Name("AnabranchCoordinatorDidRejectSaves")

    /// Returns a sequence of the saves that are rejected from now on.
    ///
    /// The sequence ends with the coordinator. Stop iterating to unsubscribe. It keeps the newest
    /// 1,024 elements for a slow reader; ``rejectedSaves()`` has all saves.
    public func rejections() -> AsyncStream<[RejectedSave.ID]> { rejectionListeners.stream() }

    func post(_ rejections: [RejectedSave.ID]) {
        NotificationCenter.default.post(
            name: Self.didRejectSaves, object: self,
            userInfo: [Notification.rejectedSavesKey: rejections])
        rejectionListeners.yield(rejections)
    }
}

extension Notification {
    static let rejectedSavesKey = "AnabranchRejectedSaves"

    /// The payload of ``PersistentStoreCoordinator/didRejectSaves``; `nil` for any other
    /// notification.
    public var rejectedSaves: [RejectedSave.ID]? {
        userInfo?[Self.rejectedSavesKey] as? [RejectedSave.ID]
    }
}
