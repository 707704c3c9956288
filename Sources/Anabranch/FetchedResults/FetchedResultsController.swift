import AnabranchModel
import AnabranchStore
public import Foundation

/// The result of a fetch request, in order and in sections, kept up to date while its context
/// changes.
///
/// ```swift
/// var request = FetchRequest<Person>()
/// request.sorts = [FetchSort("lastName"), FetchSort("firstName")]
/// let results = FetchedResultsController(
///     fetchRequest: request, context: context, sectionNameKeyPath: "lastName")
/// results.delegate = table
/// try results.performFetch()
/// let person = results.object(at: IndexPath(item: 0, section: 0))
/// ```
///
/// The result is always what the request would find now, unsaved changes of the context included.
/// It changes in these cases:
///
/// - The context processes its pending changes, which is before they are saved.
/// - The context merges the save of another context or a sync, whether or not the objects are
///   registered.
/// - Objects are refreshed, or changes are rolled back.
///
/// A change that bypasses the context is seen when it is merged into the context.
///
/// If the predicate or the sorts use related objects (`company.name`, `ANY reports.age > 30`), a
/// change of a related object counts too. The controller follows the inverse relationships back to
/// the objects concerned, with one SELECT per step. Through a relationship without an inverse, a
/// change is seen by ``performFetch()`` once it is saved, or with the next change of the object
/// itself.
///
/// One changed object among many costs a few comparisons, and the read of its row if the context
/// does not have it. Nothing else is fetched or examined.
///
/// The controller tracks the result only while there is an observer: a delegate, or an iteration
/// over ``changes()``. After the context was reset it tracks nothing until ``performFetch()`` is
/// called.
///
/// Use it on its context's queue only.
public final class FetchedResultsController<Object: ManagedObject> {
    /// The request that the next ``performFetch()`` uses. Changing it has no immediate effect. A
    /// cache that was written for another request is not used.
    public var fetchRequest: FetchRequest<Object>
    /// The context of the result's objects.
    public let managedObjectContext: ManagedObjectContext
    /// The key path that names the section of an object; `nil` for no sections, or if a closure
    /// names them.
    public let sectionNameKeyPath: String?
    /// The closure that names the section of an object; `nil` if there is none.
    package let sectionName: ((Object) -> String?)?
    /// The name of the cache file; `nil` for no cache.
    public let cacheName: String?
    /// The directory of the cache file; `nil` for a directory next to the store's file.
    package let cacheDirectory: URL?

    /// Receives every change as single calls. It is not used if there is a ``snapshotDelegate``,
    /// or a ``differenceDelegate`` and no sections.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?
    /// Receives the whole result after every change. The other delegates are not used while it is
    /// set.
    public weak var snapshotDelegate: (any FetchedResultsSnapshotDelegate<Object>)?
    /// Receives the changes of a result without sections as a difference. It is not used if there
    /// is a ``snapshotDelegate``.
    public weak var differenceDelegate: (any FetchedResultsDifferenceDelegate<Object>)?
    /// Returns the title of a section, by its name, in the index of a list. It takes precedence
    /// over the delegate.
    public var sectionIndexTitle: ((_ sectionName: String) -> String?)?

    /// The number of the last event that ``changes()`` reported; 0 before the first. Events that no
    /// sequence and no delegate waits for are not counted.
    public internal(set) var lastChangeNumber: UInt64 = 0
    let listeners = EventStreams<FetchedResultsChanges>()
    var tracker: ResultsTracker?
    var source: BatchLoader?

    /// Creates a controller. ``performFetch()`` fetches its result.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request; it needs at least one sort.
    ///   - context: The context of the result's objects.
    ///   - sectionNameKeyPath: The key path of the names of the sections; `nil` for no sections. It
    ///     is that of the request's first sort, or any other one with values in the same order,
    ///     such as `league.name` under a sort by `league.displayOrder`. It may be a transient
    ///     attribute.
    ///   - cacheName: The name of a file that keeps the result until it is fetched again from an
    ///     unchanged store; `nil` for none. Two controllers can share a name only for the same
    ///     request. A context that has a parent or unsaved changes uses no cache.
    ///   - cacheDirectory: The directory of that file. `nil` means a directory next to the store's
    ///     file; a store in memory has no cache then.
    public init(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil, cacheName: String? = nil, cacheDirectory: URL? = nil
    ) {
        self.fetchRequest = fetchRequest
        managedObjectContext = context
        self.sectionNameKeyPath = sectionNameKeyPath
        sectionName = nil
        self.cacheName = cacheName
        self.cacheDirectory = cacheDirectory
    }

    /// Creates a controller with sections that a closure names, such as the month of a date, or the
    /// first letter of a name.
    ///
    /// ```swift
    /// FetchedResultsController(
    ///     fetchRequest: try FetchRequest<Note>(sortedBy: \.date), context: context,
    ///     sectionName: \.month)
    /// ```
    ///
    /// The request's first sort has to give the order of the sections: all objects with one name
    /// are neighbours. The closure reads every object, so the request's batch size has no effect,
    /// and there is no cache. Each change of the result compares the names of all its objects.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request; it needs at least one sort.
    ///   - context: The context of the result's objects.
    ///   - sectionName: Returns the name of an object's section; `nil` is the empty name. It is
    ///     called when the object has changed or was read again, and has to depend on nothing but
    ///     the object's own properties and what the request sorts by.
    public init(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext,
        sectionName: @escaping (Object) -> String?
    ) {
        self.fetchRequest = fetchRequest
        managedObjectContext = context
        sectionNameKeyPath = nil
        self.sectionName = sectionName
        cacheName = nil
        cacheDirectory = nil
    }

    var hasSections: Bool { sectionNameKeyPath != nil || sectionName != nil }

    /// Fetches the result. Only the ``snapshotDelegate`` is notified.
    ///
    /// - Throws: ``FetchedResultsError`` if the request has no sort, or if the objects of a section
    ///   are not neighbours; `FetchPredicateError`, ``PropertyError`` and `StoreError` like a
    ///   fetch. The result stays as it was.
    public func performFetch() throws {
        // Pending changes are part of the result from the start and must not be reported later.
        managedObjectContext.processPendingChanges()
        let plan = try ResultsPlan(
            fetchRequest, sectionNameKeyPath: sectionNameKeyPath, sectionName: sectionName,
            in: managedObjectContext)
        let whole = try read(plan)
        let source = BatchLoader(context: managedObjectContext, plan: plan)
        if plan.makesObjects { try source.prepare(whole.entries.compactMap(\.object)) }
        try (tracker ?? makeTracker(plan)).start(whole, plan)
        self.source = source
        if let snapshotDelegate, let snapshot {
            snapshotDelegate.controller(self, didChangeContentWith: snapshot)
        }
    }

    private func makeTracker(_ plan: ResultsPlan) -> ResultsTracker {
        let tracker = ResultsTracker(context: managedObjectContext, plan: plan)
        // A delegate may release the controller in the middle of an event.
        tracker.isHeard = { [weak self] in self?.isHeard ?? false }
        tracker.report = { [weak self] in self?.notify($0) }
        managedObjectContext.followers.add(tracker)
        self.tracker = tracker
        return tracker
    }

    private func read(_ plan: ResultsPlan) throws -> ResultsReader.Whole {
        let reader = ResultsReader(context: managedObjectContext, plan: plan)
        guard let cacheName, plan.naming?.name == nil,
            let cache = ResultsCache(
                named: cacheName, in: cacheDirectory, for: managedObjectContext)
        else { return try reader.whole() }
        func currentKey() throws -> Digest {
            try cache.key(of: fetchRequest, sectionNameKeyPath: sectionNameKeyPath)
        }
        let key = try currentKey()
        if let whole = cache.read(key), let entries = try reader.restored(whole.entries) {
            return ResultsReader.Whole(entries: entries, horizon: whole.horizon, isStored: true)
        }
        let whole = try reader.whole()
        // Another context may have saved meanwhile, or the pinned state may have ended.
        if whole.isStored, try currentKey() == key { cache.write(whole, key) }
        return whole
    }

    /// Deletes the file of a cache, if it exists.
    ///
    /// A cache is used only for the state of the store and the request for which it was written.
    /// Deleting it only frees space.
    ///
    /// - Parameters:
    ///   - name: The name of the cache; `nil` deletes all caches of the store in the directory.
    ///   - coordinator: The coordinator of the store.
    ///   - directory: The directory that the controller was given.
    /// - Throws: The error of the file system.
    public static func deleteCache(
        withName name: String?, of coordinator: PersistentStoreCoordinator,
        in directory: URL? = nil
    ) throws {
        try ResultsCache.delete(named: name, in: directory, of: coordinator)
    }
}

@available(*, unavailable)
extension FetchedResultsController: Sendable {}
