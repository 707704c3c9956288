public import AnabranchStore
public import Foundation

extension PersistentStoreCoordinator {
    /// Saves of this file that zones have rejected for good, the newest first. The objects are as
    /// if they had never been made.
    ///
    /// - Throws: ``StoreError``.
    public func rejectedSaves() throws -> [RejectedSave] { try store.rejectedSaves() }

    /// - Returns: `nil` where there is none of that number, or it was discarded.
    /// - Throws: ``StoreError``.
    public func rejectedSave(_ id: RejectedSave.ID) throws -> RejectedSave? {
        try store.rejectedSave(id)
    }

    /// How many rejected saves there are; reads none of them.
    ///
    /// - Throws: ``StoreError``.
    public func rejectedSaveCount() throws -> Int { try store.rejectedSaveCount() }

    /// Forgets rejected saves, for good.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StoreError``; nothing was removed.
    @discardableResult
    public func discardRejectedSaves(_ ids: [RejectedSave.ID]) throws -> Int {
        try store.discardRejectedSaves(ids)
    }
}

extension PersistentStoreCoordinator {
    /// Saves turned out to be rejected; posted when every context shows the records as they are
    /// known to be without them. What the zone has to be asked for follows within the exchange,
    /// as remote changes. On a queue of no context.
    public static let didRejectSaves = Notification.Name("AnabranchCoordinatorDidRejectSaves")

    /// What turns out to be rejected from now on.
    ///
    /// The sequence ends with the coordinator; who stops iterating stops listening.
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

    /// What ``PersistentStoreCoordinator/didRejectSaves`` tells; `nil` of any other notification.
    public var rejectedSaves: [RejectedSave.ID]? {
        userInfo?[Self.rejectedSavesKey] as? [RejectedSave.ID]
    }
}
