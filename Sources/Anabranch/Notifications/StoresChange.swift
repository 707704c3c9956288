public import Foundation

/// The store files that a coordinator has opened or closed.
public struct StoresChange: Sendable {
    /// The stores that were opened.
    public var added: [URL] = []
    /// The stores that were or are about to be closed.
    public var removed: [URL] = []
}

extension Notification {
    static let storesChangeKey = "AnabranchStoresChange"

    /// The payload of ``PersistentStoreCoordinator/storesDidChange`` and
    /// ``PersistentStoreCoordinator/willRemoveStore``; `nil` for any other notification.
    public var storesChange: StoresChange? { userInfo?[Self.storesChangeKey] as? StoresChange }
}
