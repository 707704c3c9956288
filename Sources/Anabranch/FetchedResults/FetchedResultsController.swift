import AnabranchModel
import AnabranchStore
public import Foundation

/// What a request finds, in order and in sections, kept true while its context changes.
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
/// The result is what the request would find at any moment, unsaved changes of the context
/// included: objects come into it and leave it when pending changes are processed, before they
/// are saved; when another context's save or a sync is merged, whether or not the objects are
/// registered; and when objects are refreshed or changes rolled back. Changes that go past the
/// context are seen when they are merged into it.
///
/// Where predicate or sorts look at other objects (`company.name`, `ANY reports.age > 30`), a
/// change of those counts too: the controller goes back along the relationships to the objects
/// concerned, one SELECT a step. That needs inverses; through a relationship without one a change
/// is seen by ``performFetch()`` once it is saved, or with the next change of the object itself.
///
/// One changed object among many costs a few comparisons and the reading of its own row where
/// the context does not have it; nothing is fetched again and nothing else is looked at.
///
/// The result is followed only while somebody listens: a delegate, or an iteration over
/// ``changes()``. Nobody is listened for after the context was reset: call ``performFetch()``.
///
/// It is used on its context's queue.
public final class FetchedResultsController<Object: ManagedObject> {
    /// What is used by the next ``performFetch()``; changing it costs nothing, and a cache made
    /// for another request is not used.
    public var fetchRequest: FetchRequest<Object>
    public let managedObjectContext: ManagedObjectContext
    public let sectionNameKeyPath: String?
    public let cacheName: String?
    /// Where the cache file is; `nil`: beside the store.
    public let cacheDirectory: URL?

    /// Told of every change, unless there is a ``snapshotDelegate``, or a ``differenceDelegate``
    /// and no sections.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?
    /// Where there is one it alone is told.
    public weak var snapshotDelegate: (any FetchedResultsSnapshotDelegate<Object>)?
    /// Told of changes of results without sections, unless there is a ``snapshotDelegate``.
    public weak var differenceDelegate: (any FetchedResultsDifferenceDelegate<Object>)?
    /// What an index beside a list has for a section, by its name; goes before the delegate.
    public var sectionIndexTitle: ((_ sectionName: String) -> String?)?

    let listeners = Listeners<FetchedResultsChanges>()
    var tracker: ResultsTracker?
    var source: ObjectSource?

    /// - Parameters:
    ///   - sectionNameKeyPath: The key path of the request's first sort; `nil` for no sections.
    ///   - cacheName: Of the file that keeps the result for the next time that it is fetched from
    ///     an unchanged store; `nil` for none. Two controllers may share a name only for one
    ///     request. A context that has a parent, or unsaved changes, uses none.
    ///   - cacheDirectory: Where that file is; `nil`: in a folder beside the store, and nowhere for
    ///     a store in memory.
    public init(
        fetchRequest: FetchRequest<Object>, context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil, cacheName: String? = nil, cacheDirectory: URL? = nil
    ) {
        self.fetchRequest = fetchRequest
        managedObjectContext = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
        self.cacheDirectory = cacheDirectory
    }

    /// Finds what the request asks for; delegates hear nothing of it but a snapshot.
    ///
    /// - Throws: ``FetchedResultsError`` where the request has no sort, or does not sort by the
    ///   sections first; ``FetchPredicateError``, ``PropertyError`` and ``StoreError`` as a fetch
    ///   does. The result is as it was.
    public func performFetch() throws {
        // What is pending now belongs to the result from the start, and is not told of it later.
        managedObjectContext.processPendingChanges()
        let plan = try ResultsPlan(
            fetchRequest, sectionNameKeyPath: sectionNameKeyPath, in: managedObjectContext)
        let whole = try read(plan)
        let source = ObjectSource(context: managedObjectContext, plan: plan)
        if plan.makesObjects { try source.prepare(whole.entries.compactMap(\.object)) }
        self.source = source
        let tracker = tracker ?? makeTracker(plan)
        tracker.start(whole, plan)
        if let snapshotDelegate, let snapshot {
            snapshotDelegate.controller(self, didChangeContentWith: snapshot)
        }
    }

    private func makeTracker(_ plan: ResultsPlan) -> ResultsTracker {
        let tracker = ResultsTracker(context: managedObjectContext, plan: plan)
        // A delegate may let go of the controller in the middle of an event.
        tracker.isHeard = { [weak self] in self?.isHeard ?? false }
        tracker.report = { [weak self] in self?.tell($0) }
        managedObjectContext.followers.add(tracker)
        self.tracker = tracker
        return tracker
    }

    private func read(_ plan: ResultsPlan) throws -> ResultsReader.Whole {
        let reader = ResultsReader(context: managedObjectContext, plan: plan)
        guard let cacheName,
            let cache = ResultsCache(
                named: cacheName, in: cacheDirectory, for: managedObjectContext)
        else { return try reader.whole() }
        func currentKey() throws -> Digest {
            try cache.key(of: fetchRequest, sectionNameKeyPath: sectionNameKeyPath)
        }
        let key = try currentKey()
        if let whole = cache.read(key), let entries = try reader.restored(whole.entries) {
            return ResultsReader.Whole(
                entries: entries, horizon: whole.horizon, isStored: true)
        }
        let whole = try reader.whole()
        // Others may have saved meanwhile, or the state that was pinned may have ended.
        if whole.isStored, try currentKey() == key { cache.write(whole, key) }
        return whole
    }

    /// Removes the file of a cache; where there is none, nothing.
    ///
    /// A cache is never used for another state of the store or another request than it was made
    /// for, so this only makes room.
    ///
    /// - Parameters:
    ///   - name: `nil` removes all caches of the store in the folder.
    ///   - directory: As the controller was given it.
    /// - Throws: What the file system says when it refuses.
    public static func deleteCache(
        withName name: String?, of coordinator: PersistentStoreCoordinator,
        in directory: URL? = nil
    ) throws {
        try ResultsCache.delete(named: name, in: directory, of: coordinator)
    }
}

@available(*, unavailable)
extension FetchedResultsController: Sendable {}
