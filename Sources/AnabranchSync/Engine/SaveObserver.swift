internal import Anabranch
internal import AnabranchStore
internal import Foundation

/// Tells at once of saves by contexts of this process; those of others are looked for now and
/// then.
final class SaveObserver: Sendable {
    // The centre's token, given back to it once and otherwise not used.
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
