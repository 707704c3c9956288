public import Foundation

/// The store files that a coordinator has opened or closed.
public struct StoresChange: Sendable {
    /// The stores that were opened.
    public var added: [URL] = []
    /// The stores that were or are about to be closed.
    public var removed: [URL] = []
}

extension PersistentStoreCoordinator {
    /// Posted after the coordinator has opened or closed its store, on the queue that did so.
    public static let storesDidChange = Notification.Name("AnabranchCoordinatorStoresDidChange")
    /// Posted before the coordinator closes its store, which can still be read and written.
    public static let willRemoveStore = Notification.Name("AnabranchCoordinatorWillRemoveStore")

    func post(_ name: Notification.Name, _ change: StoresChange) {
        NotificationCenter.default.post(
            name: name, object: self, userInfo: [Notification.storesChangeKey: change])
    }
}

extension Notification {
    static let storesChangeKey = "AnabranchStoresChange"

    /// The payload of ``PersistentStoreCoordinator/storesDidChange`` and
    /// ``PersistentStoreCoordinator/willRemoveStore``; `nil` for any other notification.
    public var storesChange: StoresChange? { userInfo?[Self.storesChangeKey] as? StoresChange }
}
