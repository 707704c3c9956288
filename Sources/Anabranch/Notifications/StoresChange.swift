public import Foundation

/// Which store files a coordinator has got or given up.
public struct StoresChange: Sendable {
    public var added: [URL] = []
    public var removed: [URL] = []
}

extension PersistentStoreCoordinator {
    /// The coordinator has opened or closed its store. On the queue that did so.
    public static let storesDidChange = Notification.Name("AnabranchCoordinatorStoresDidChange")
    /// The coordinator is about to close its store, which can still be read and written.
    public static let willRemoveStore = Notification.Name("AnabranchCoordinatorWillRemoveStore")

    func post(_ name: Notification.Name, _ change: StoresChange) {
        NotificationCenter.default.post(
            name: name, object: self, userInfo: [Notification.storesChangeKey: change])
    }
}

extension Notification {
    static let storesChangeKey = "AnabranchStoresChange"

    /// What ``PersistentStoreCoordinator/storesDidChange`` and
    /// ``PersistentStoreCoordinator/willRemoveStore`` tell; `nil` of any other notification.
    public var storesChange: StoresChange? { userInfo?[Self.storesChangeKey] as? StoresChange }
}
