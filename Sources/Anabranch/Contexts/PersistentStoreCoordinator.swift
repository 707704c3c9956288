public import AnabranchModel
public import AnabranchReplication
package import AnabranchStore
public import Foundation
import Synchronization

/// The owner of one open store, shared by all its contexts.
///
/// Reads of different contexts run concurrently, each in a snapshot of the file. Saves run one
/// after another. After a save, the other contexts get the IDs of the changed objects.
public final class PersistentStoreCoordinator: Sendable {
    package let store: Store
    package let origin: StoreOrigin
    /// The URL of the file or of the in-memory store.
    public let url: URL
    let plans: EntityPlans
    private let numbers = RecordNumberAllocator()
    let links = ContextLinks()
    let conflictListeners = EventStreams<RecordedConflicts>()
    let rejectionListeners = EventStreams<[RejectedSave.ID]>()
    let remoteListeners = EventStreams<RemoteChange>()
    /// Reports that something may have been committed to the file.
    let commits: CommitSignal
    /// The task that follows other processes; `nil` before something has to be told of them.
    private let following = Mutex<Task<Void, Never>?>(nil)
    private let mayFollow: Bool
    private let isOpen = Mutex(true)
    let resolverQueue = ResolverQueue()
    /// The errors of objects that have outlived their contexts.
    let lostErrors = LostErrors()

    /// Opens a store and creates the file if it does not exist.
    ///
    /// - Parameters:
    ///   - model: The model; `nil` opens an existing file with the model that it was saved with.
    ///   - classes: The classes of the model's entities.
    ///   - storeDescription: The store and its options.
    /// - Throws: `StoreError`, with the file unchanged or as the last complete step of a staged
    ///   migration has left it; ``PropertyError`` with code `classMismatch` if a class does not fit
    ///   the model.
    public convenience init(
        model: ManagedObjectModel?, classes: [ManagedObject.Type] = [],
        storeDescription: PersistentStoreDescription
    ) throws {
        try self.init(opening: storeDescription, model: model, classes: classes)
        announceStore()
    }

    /// Opens a store like the public initializer, but posts no notification.
    init(
        opening storeDescription: PersistentStoreDescription, model: ManagedObjectModel?,
        classes: [ManagedObject.Type]
    ) throws {
        // The classes are checked before a file is created.
        let plans = try model.map { try EntityPlans(model: $0, classes: classes) }
        store = try Store.open(
            at: storeDescription.path, model: model, options: storeDescription.options,
            environment: storeDescription.storeEnvironment,
            stages: storeDescription.stagedMigration?.storeStages)
        url = storeDescription.isInMemory ? storeDescription.url : URL(fileURLWithPath: store.path)
        self.plans =
            if let plans, store.model === model { plans } else {
                try EntityPlans(model: store.model, classes: classes)
            }
        origin = .of(store)
        commits = CommitSignal(of: store)
        mayFollow = storeDescription.mayFollowOtherProcesses
        if mayFollow { Self.followWhenObserved(self) }
    }

    deinit { following.withLock { $0?.cancel() } }

    /// Starts to follow other processes from the present state of the file, if the description
    /// allows it and nothing has started it. If the file can't be read, the next call tries again.
    func followOtherProcesses() {
        guard mayFollow else { return }
        following.withLock { following in
            guard following == nil, let progress = try? store.historyProgress() else { return }
            following = followOtherProcesses(since: progress)
        }
    }

    /// Creates the coordinator of a store that is being migrated, which keeps it open.
    ///
    /// The objects have no classes, because the app's classes are those of the last version.
    init(migrating store: Store) throws {
        self.store = store
        url = URL(fileURLWithPath: store.path)
        plans = try EntityPlans(model: store.model, classes: [])
        origin = .of(store)
        commits = CommitSignal(of: store)
        mayFollow = false
    }

    /// The model of the store.
    public var model: ManagedObjectModel { store.model }

    /// The replica ID under which this file saves now. A file that finds itself copied takes
    /// another one.
    ///
    /// - Throws: `StoreError`.
    public var replicaID: ReplicaID { get throws { try store.replica } }

    func announceStore() { post(Self.storesDidChange, StoresChange(added: [url])) }

    /// Closes the store after running reads and writes have ended. Later uses throw `StoreError`
    /// with code `closed`.
    public func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        post(Self.willRemoveStore, StoresChange(removed: [url]))
        store.close()
        following.withLock { $0?.cancel() }
        commits.finish()
        post(Self.storesDidChange, StoresChange(removed: [url]))
    }

    /// Returns the object ID for a URI from ``ManagedObjectID/uriRepresentation``.
    ///
    /// In a store that was converted from one of Core Data or SwiftData, the URIs of that store
    /// name the same objects.
    ///
    /// - Returns: `nil` if the URI does not name an object, the model lacks its entity, or the
    ///   store does not know its replica.
    /// - Throws: `StoreError`.
    public func managedObjectID(forURIRepresentation uri: URL) throws -> ManagedObjectID? {
        if uri.scheme?.lowercased() == "x-coredata" {
            guard let (record, wireName) = try store.convertedSource()?.record(of: uri),
                let entity = model.entity(wireName: wireName)
            else { return nil }
            return try managedObjectID(for: record, entity: entity)
        }
        guard let parts = RecordURI(uri) else { return nil }
        return try origin.objectID(of: parts)
    }

    /// Returns the object ID of a record in this store.
    ///
    /// - Returns: `nil` if the store does not know the record's replica. An ID does not mean that
    ///   the object exists; ``ManagedObjectContext/existingObject(with:)`` checks that.
    /// - Throws: `StoreError`.
    public func managedObjectID(
        for record: RecordID, entity: EntityDescription
    ) throws -> ManagedObjectID? {
        try store.localID(of: record).map {
            ManagedObjectID(origin: origin, entity: entity, localID: $0)
        }
    }
}

extension PersistentStoreCoordinator: StoreOriginHolding {}

extension PersistentStoreCoordinator {
    func takeNumbers(_ count: Int) throws -> ClosedRange<LocalID> {
        try numbers.take(count, from: store)
    }

    func discardNumbers() { numbers.discard() }

    /// Passes the changes of one context's save to the other contexts.
    func didSave(_ changes: ChangedRecords, from source: ContextLink) {
        links.forEach(except: source) { link in
            link.enqueue { $0.mergeAutomatically(changes) }
        }
    }

    /// Adds the records with derived values that depend on changed records.
    func withDerived(_ changes: ChangedRecords) throws -> ChangedRecords {
        guard plans.haveDerivations else { return changes }
        return try store.read { try $0.withDerived(changes) }
    }
}
