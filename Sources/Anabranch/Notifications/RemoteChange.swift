public import AnabranchReplication
import AnabranchStore
public import Foundation

/// A change of a coordinator's store: a save of one of its contexts, or change sets from a zone or
/// a bundle.
public struct RemoteChange: Sendable {
    /// The author of the saving context, `sync` or `bundle`.
    public let author: String
    /// The URL of the store's file.
    public let url: URL
    private let origin: StoreOrigin
    private let savedPosition: Int64?

    /// - Parameter savedPosition: The position of a save; otherwise `nil`.
    init(url: URL, origin: StoreOrigin, author: String, savedPosition: Int64?) {
        self.url = url
        self.origin = origin
        self.author = author
        self.savedPosition = savedPosition
    }

    /// The history position up to which the file holds everything. For a save it is the save's own
    /// position; after a sync it is the end of the history at this moment. To read what is new,
    /// ask for the history after the position of the previous change.
    ///
    /// - Throws: `StoreError`, also if the store is closed.
    public var position: HistoryPosition {
        get throws {
            let store = try origin.openStore("read the history")
            let position = try savedPosition ?? store.read { try $0.logPosition() }
            return HistoryPosition(rawValue: position)
        }
    }

    /// The replica ID under which the file saves now.
    ///
    /// - Throws: `StoreError`, also if the store is closed.
    public var replicaID: ReplicaID {
        get throws { try origin.openStore("read the replica ID").replica }
    }
}

extension Notification {
    static let remoteChangeKey = "AnabranchRemoteChange"

    /// The payload of ``PersistentStoreCoordinator/remoteChange``; `nil` for any other
    /// notification.
    public var remoteChange: RemoteChange? { userInfo?[Self.remoteChangeKey] as? RemoteChange }
}
