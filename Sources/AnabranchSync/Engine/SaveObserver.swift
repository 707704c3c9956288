internal import AnabranchStore

/// Reports saves of this process at once. The live loop watches the file for those of other
/// processes.
final class SaveObserver: Sendable {
    private let store: Store
    private let number: Int

    init(of store: Store, _ tell: @escaping @Sendable () -> Void) {
        self.store = store
        number = store.saveListeners.add(tell)
    }

    func stop() { store.saveListeners.remove(number) }
}
