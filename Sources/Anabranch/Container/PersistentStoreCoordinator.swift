public import AnabranchModel
public import AnabranchReplication
package import AnabranchStore
import Dispatch
public import Foundation
import Synchronization

/// The one owner of a store, shared by its contexts.
///
/// Reads of different contexts run at the same time, each in a snapshot of the file; saves one
/// after the other. A save tells the other contexts what has changed.
public final class PersistentStoreCoordinator: Sendable {
    package let store: Store
    package let origin: StoreOrigin
    /// Of the file, or of the store in memory.
    public let url: URL
    let plans: EntityPlans
    private let numbers = NumberReserve()
    let links = ContextLinks()
    let conflictListeners = Listeners<RecordedConflicts>()
    let rejectionListeners = Listeners<[RejectedSave.ID]>()
    let remoteListeners = Listeners<RemoteChange>()
    private let isOpen = Mutex(true)
    let resolverQueue = ResolverQueue()

    /// - Throws: ``StoreError`` with the file as it was; ``PropertyError`` with code
    ///   `classMismatch` where a class does not fit the model.
    public convenience init(
        model: ManagedObjectModel?, classes: [ManagedObject.Type] = [],
        storeDescription: PersistentStoreDescription
    ) throws {
        try self.init(opening: storeDescription, model: model, classes: classes)
        announceStore()
    }

    /// As the public one, but nobody is told.
    init(
        opening storeDescription: PersistentStoreDescription, model: ManagedObjectModel?,
        classes: [ManagedObject.Type]
    ) throws {
        // A class that does not fit is found before a file is made for it.
        let plans = try model.map { try EntityPlans(model: $0, classes: classes) }
        store = try Store.open(
            at: storeDescription.path, model: model, options: storeDescription.options,
            environment: storeDescription.storeEnvironment)
        url = storeDescription.isInMemory ? storeDescription.url : URL(fileURLWithPath: store.path)
        self.plans =
            if let plans, store.model === model { plans } else {
                try EntityPlans(model: store.model, classes: classes)
            }
        origin = .of(store)
    }

    public var model: ManagedObjectModel { store.model }

    /// Who saves to this file now; a file that finds itself copied takes another one.
    ///
    /// - Throws: ``StoreError``.
    public var replicaID: ReplicaID { get throws { try store.replica } }

    func announceStore() { post(Self.storesDidChange, StoresChange(added: [url])) }

    /// Waits for what is being read and written; later uses throw ``StoreError`` `closed`.
    public func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        post(Self.willRemoveStore, StoresChange(removed: [url]))
        store.close()
        post(Self.storesDidChange, StoresChange(removed: [url]))
    }

    /// The ID that a URI stands for in this store.
    ///
    /// - Returns: `nil` where it is not the URI of an object, the model lacks its entity, or the
    ///   store has never heard of its replica.
    /// - Throws: ``StoreError``.
    public func managedObjectID(forURIRepresentation uri: URL) throws -> ManagedObjectID? {
        let parts = uri.pathComponents
        guard uri.scheme == "anabranch", parts.count == 3, let host = uri.host,
            let replica = ReplicaID(host), let number = UInt64(parts[2]),
            (1...Limits.greatestRecordNumber).contains(number),
            let entity = model.entity(named: parts[1])
        else { return nil }
        return try managedObjectID(
            for: RecordID(replica: replica, number: number), entity: entity)
    }

    /// The ID of a record in this store.
    ///
    /// - Returns: `nil` where the store has never heard of the record's replica. Whether there is
    ///   such an object only `existingObject(with:)` tells.
    /// - Throws: ``StoreError``.
    public func managedObjectID(
        for record: RecordID, entity: EntityDescription
    ) throws -> ManagedObjectID? {
        try store.localID(of: record).map {
            ManagedObjectID(origin: origin, entity: entity, localID: $0)
        }
    }
}

extension PersistentStoreCoordinator {
    func takeNumbers(_ count: Int) throws -> ClosedRange<LocalID> {
        try numbers.take(count, from: store)
    }

    func discardNumbers() { numbers.discard() }

    /// Tells the other contexts what one has saved.
    func didSave(_ changes: ChangedRecords, from source: ContextLink) {
        links.enqueue(except: source) { $0.mergeAutomatically(changes) }
    }

    /// Tells every context what was changed in the store by somebody else.
    ///
    /// Each context refreshes, on its own queue, the objects that it has registered. Then those
    /// who want to know are told of conflicts, and the app's resolver runs.
    ///
    /// - Parameter whenMerged: Called once every context and the resolver are done.
    package func didApply(
        _ changes: ChangedRecords, author: String = "sync",
        whenMerged: (@Sendable () -> Void)? = nil
    ) {
        if !changes.isEmpty { postRemoteChange(author: author) }
        let group = DispatchGroup()
        links.enqueue(in: group) { $0.merge(changes, author: author, in: group) }
        if !changes.rejections.isEmpty {
            group.notify(queue: .global()) { [self] in post(changes.rejections) }
        }
        guard !changes.conflicts.isEmpty else {
            if let whenMerged { group.notify(queue: .global(), execute: whenMerged) }
            return
        }
        group.notify(queue: .global()) { [self] in
            tell(of: changes.conflicts, whenResolved: whenMerged)
        }
    }

    private func tell(
        of conflicts: [RecordedConflict], whenResolved: (@Sendable () -> Void)?
    ) {
        let recorded = RecordedConflicts(conflicts, origin: origin)
        post(recorded)
        resolverQueue.run(.numbers(recorded.ids), on: self) { _ in whenResolved?() }
    }
}
