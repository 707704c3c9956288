package import AnabranchModel
import AnabranchReplication
package import AnabranchStore

/// The opened store that object IDs belong to.
///
/// It does not keep the store open: an ID may be kept for longer than its container. For the same
/// reason it is never freed, so that an ID need not count references to it: what remains of an
/// opened store is this object and its model.
package final class StoreOrigin: Sendable {
    package let model: ManagedObjectModel
    package let identity: StoreIdentity
    private weak let store: Store?

    init(_ store: Store) {
        model = store.model
        identity = store.identity
        self.store = store
        _ = Unmanaged.passRetained(self)
    }

    func recordID(of id: LocalID) throws -> RecordID {
        guard let record = try store?.recordID(of: id) else {
            throw StoreError(
                .closed, "Can't name record \(id) because its store was closed.", records: [id])
        }
        return record
    }
}
