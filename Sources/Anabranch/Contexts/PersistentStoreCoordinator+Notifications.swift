public import Foundation
import Synchronization

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

extension PersistentStoreCoordinator {
    /// Posted when the store's history has grown: for a save on the queue of the saving context,
    /// for a sync, a bundle and a change of another process on any queue. Contexts may not have
    /// merged the change yet. Changes of other processes are reported unless
    /// ``PersistentStoreDescription/followsOtherProcesses`` is false.
    ///
    /// An observer names it, see ``ManagedObjectContext/objectsDidChange``.
    public static var remoteChange: Notification.Name {
        defer { unobserved.withLock(\.self).forEach { $0.coordinator?.followOtherProcesses() } }
        return remoteChangeName.forObservers
    }

    private static let remoteChangeName = NotificationName("AnabranchCoordinatorRemoteChange")
    /// The coordinators that follow other processes once the notification is observed.
    private static let unobserved = Mutex<[WeakCoordinator]>([])

    private struct WeakCoordinator: Sendable {
        weak let coordinator: PersistentStoreCoordinator?
    }

    /// Makes a coordinator follow other processes as soon as the notification can be observed.
    static func followWhenObserved(_ coordinator: PersistentStoreCoordinator) {
        unobserved.withLock { unobserved in
            unobserved.removeAll { $0.coordinator == nil }
            unobserved.append(WeakCoordinator(coordinator: coordinator))
        }
        if remoteChangeName.isObserved { coordinator.followOtherProcesses() }
    }

    /// Returns a sequence of the changes of the store from now on: one element per save, per page
    /// of remote changes, and for the saves of another process that were merged together.
    ///
    /// The sequence ends with the coordinator. Stop iterating to unsubscribe. It keeps the newest
    /// 1,024 elements for a slow reader; the history has all changes.
    public func remoteChanges() -> AsyncStream<RemoteChange> {
        followOtherProcesses()
        return remoteListeners.stream()
    }

    /// - Parameter position: The position of a save; otherwise `nil`.
    func postRemoteChange(at position: Int64? = nil, author: String) {
        commits.raise(byOwnSave: true)
        guard Self.remoteChangeName.isObserved || !remoteListeners.isEmpty else { return }
        let change = RemoteChange(
            url: url, origin: origin, author: author, savedPosition: position)
        Self.remoteChangeName.post(from: self) { [Notification.remoteChangeKey: change] }
        remoteListeners.yield(change)
    }
}
