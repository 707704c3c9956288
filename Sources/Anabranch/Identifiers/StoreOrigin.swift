package import AnabranchModel
import AnabranchReplication
package import AnabranchStore
import Synchronization

/// The origin of object IDs: one store that the program has opened. An ID names it by a number.
///
/// An origin does not keep its store open, because an ID can be kept longer than its container. For
/// the same reason an origin is never freed. It keeps the store's model and identity in memory
/// after the store is closed.
package final class StoreOrigin: Sendable {
    package let model: ManagedObjectModel
    package let identity: StoreIdentity
    /// The index of this origin among all stores that the program has opened.
    let number: Int32
    private weak let store: Store?
    /// The names of replicas, which stay known when the store is closed.
    private let replicas: KnownReplicas?

    private static let all = Mutex<[StoreOrigin]>([])

    static func numbered(_ number: Int32) -> StoreOrigin { all.withLock { $0[Int(number)] } }

    /// The origins of the stores that are open, as far as the program still holds them.
    static var open: [StoreOrigin] { all.withLock { $0.filter { $0.store?.hasClosed == false } } }

    /// Creates the origin of a store that was just opened.
    static func of(_ store: Store) -> StoreOrigin { add { StoreOrigin(store, number: $0) } }

    /// Creates the origin of objects that are in no store.
    ///
    /// - Parameter model: Has the objects' entity.
    static func withoutStore(_ model: ManagedObjectModel) -> StoreOrigin {
        add { StoreOrigin(model, number: $0) }
    }

    private static func add(_ make: (_ number: Int32) -> StoreOrigin) -> StoreOrigin {
        all.withLock { all in
            let origin = make(Int32(all.count))
            all.append(origin)
            return origin
        }
    }

    private init(_ store: Store, number: Int32) {
        model = store.model
        identity = store.identity
        self.number = number
        self.store = store
        replicas = store.knownReplicas
    }

    private init(_ model: ManagedObjectModel, number: Int32) {
        self.model = model
        identity = StoreIdentity()
        self.number = number
        store = nil
        replicas = nil
    }

    /// Returns true if the store has the row of a record. The row can be of any entity that has the
    /// same root entity as the given one.
    func hasRow(of id: LocalID, _ entity: EntityDescription) throws -> Bool {
        try openStore("look for record \(id)").read {
            try $0.entity(of: id, in: entity.root) != nil
        }
    }

    /// - Parameter purpose: The clause that the message of the error contains.
    /// - Throws: `StoreError` with code `closed` if the store was closed.
    func openStore(_ purpose: @autoclosure () -> String) throws -> Store {
        guard let store else {
            throw StoreError(.closed, "Can't \(purpose()) because the store was closed.")
        }
        return store
    }

    /// Returns the ID of the object that a URI names.
    ///
    /// - Returns: `nil` if the model lacks its entity, the store does not know its replica, or the
    ///   store is not there any more.
    func objectID(of parts: RecordURI) throws -> ManagedObjectID? {
        // A typed text may have the name of the present model.
        let entity =
            model.entity(wireName: WireName(parts.wireName)) ?? model.entity(named: parts.wireName)
        guard let entity, let store, let id = try store.localID(of: parts.record)
        else { return nil }
        return ManagedObjectID(origin: self, entity: entity, localID: id)
    }

    /// - Throws: `StoreError` if the store was closed before it read the record's replica.
    func recordID(of id: LocalID) throws -> RecordID {
        if let known = replicas?.record(id) { return known }
        guard let record = try store?.recordID(of: id) else {
            throw StoreError(
                .closed, "Can't name record \(id) because its store was closed.", records: [id])
        }
        return record
    }
}
