public import AnabranchReplication
import AnabranchStore
public import Foundation

/// The store of a coordinator has more in its history than before: a save of one of its contexts,
/// or changes from a zone or a bundle.
public struct RemoteChange: Sendable {
    /// The author of the saving context, `sync` or `bundle`.
    public let author: String
    /// Of the store's file.
    public let url: URL
    private let origin: StoreOrigin
    private let savedPosition: Int64?

    /// - Parameter savedPosition: Of a save, its own.
    fileprivate init(
        _ coordinator: PersistentStoreCoordinator, author: String, savedPosition: Int64?
    ) {
        url = coordinator.url
        origin = coordinator.origin
        self.author = author
        self.savedPosition = savedPosition
    }

    /// Everything up to here is in the file: ask for the history after the position of the change
    /// before. After a save its own place, after a sync the end of the history when this is asked.
    ///
    /// - Throws: ``StoreError``, also where the store is closed.
    public var position: HistoryPosition {
        get throws {
            let store = try origin.openStore("read the history")
            let position = try savedPosition ?? store.read { try $0.logPosition() }
            return HistoryPosition(rawValue: position)
        }
    }

    /// Who saves to the file.
    ///
    /// - Throws: ``StoreError``, also where the store is closed.
    public var replicaID: ReplicaID {
        get throws { try origin.openStore("read the replica ID").replica }
    }
}

extension PersistentStoreCoordinator {
    /// The store has more in its history; posted for the coordinator's own saves, on the queue of
    /// the context that has saved, and for what a sync or a bundle brings, on any queue. Contexts
    /// need not have merged it yet. What another process writes to the file is not noticed.
    public static let remoteChange = Notification.Name("AnabranchCoordinatorRemoteChange")

    /// What is written to the store from now on, save by save and page by page.
    ///
    /// The sequence ends with the coordinator; who stops iterating stops listening.
    public func remoteChanges() -> AsyncStream<RemoteChange> { remoteListeners.stream() }

    /// - Parameter position: Of a save; else `nil`.
    func postRemoteChange(at position: Int64? = nil, author: String) {
        let change = RemoteChange(self, author: author, savedPosition: position)
        NotificationCenter.default.post(
            name: Self.remoteChange, object: self,
            userInfo: [Notification.remoteChangeKey: change])
        remoteListeners.yield(change)
    }
}

extension Notification {
    static let remoteChangeKey = "AnabranchRemoteChange"

    /// What ``PersistentStoreCoordinator/remoteChange`` tells; `nil` of any other notification.
    public var remoteChange: RemoteChange? { userInfo?[Self.remoteChangeKey] as? RemoteChange }
}
