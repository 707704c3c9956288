internal import Anabranch
internal import AnabranchStore
internal import Foundation

/// Reports saves by contexts of this process at once. The live loop watches the file for those of
/// other processes.
final class SaveObserver: Sendable {
    // The notification center's token, which is only passed back to it.
    nonisolated(unsafe) private let token: any NSObjectProtocol

    init(of store: Store, _ tell: @escaping @Sendable () -> Void) {
        token = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.didSave, object: nil, queue: nil
        ) { [weak store] notification in
            let context = notification.object as? ManagedObjectContext
            guard let store, context?.coordinator.store === store else { return }
            tell()
        }
    }

    func stop() { NotificationCenter.default.removeObserver(token) }
}
