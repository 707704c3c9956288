public import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// A workspace of objects, in which changes are visible to other contexts only after a save.
///
/// Use a context and its objects on its queue only: the main queue for main-actor code, or a
/// private queue inside the closures of ``BackgroundContext``. Debug builds check this. A context
/// has one object per record. It holds strong references to changed objects only; the other
/// objects stay registered as long as the app holds them.
public final class ManagedObjectContext {
    /// The coordinator of the store.
    public let coordinator: PersistentStoreCoordinator
    let queue: ContextQueue
    let link: ContextLink
    let source: ContextSource
    /// The contexts whose saves come here.
    let children = ContextLinks()
    /// Records that others stand for, while there are contexts below that may know them.
    @exclusivity(unchecked) var successions = RecordReplacements()
    /// How many of those of the context above this one has followed.
    @exclusivity(unchecked) var followedSuccessions = 0
    /// The state of the store that the context is pinned to; `nil` for the newest.
    @exclusivity(unchecked) var generation: QueryGenerationToken?
    /// A name that tells contexts apart in messages. It is also recorded in the history.
    @exclusivity(unchecked) public var name = ""
    /// The author that the history records for this context's saves.
    @exclusivity(unchecked) public var transactionAuthor = ""
    /// True if the context refreshes its objects by itself after saves of other contexts to the
    /// same store, and after syncs and bundles that changed it. A context with a parent refreshes
    /// them after other saves to the parent, and when the parent saves or is refreshed.
    ///
    /// Unsaved edits stay. A save that overwrites a value which was merged under an edit records
    /// that value in the conflict journal; see ``treatsMergedChangesAsConflicts``.
    ///
    /// If it is false, the context keeps the values that it has read until it is refreshed. Its
    /// save then conflicts with newer values, and the ``mergePolicy`` decides. The view context of
    /// a ``PersistentContainer`` begins with true, every other context with false.
    public var automaticallyMergesChangesFromParent = false {
        didSet { if automaticallyMergesChangesFromParent { coordinator.followOtherProcesses() } }
    }
    /// True if a save conflicts with a newer stored value that was merged under one of its edits:
    /// the ``mergePolicy`` then decides, as if the value had not been merged. A link conflicts that
    /// was added after the context had read the relationship, merged or not, if the save removes it
    /// or deletes one of its ends.
    ///
    /// If it is false, the save overwrites the value or removes the link, and the conflict journal
    /// gets it with its author and time. Under `firstWriter`, `max` and `min` an edit that can't
    /// win against the value yields to it, and under `firstWriter` the journal gets the edit. A
    /// context with a parent passes its edits to the parent. Then the setting of the parent counts.
    @exclusivity(unchecked) public var treatsMergedChangesAsConflicts = false
    /// The behaviour when a property of an object is read or set and the object's row is gone.
    ///
    /// If it is true, the object becomes deleted and leaves the context: reading returns the
    /// types' absent values, and setting is refused. If it is false, the object stays a fault.
    /// Methods that can throw then throw a ``PropertyError`` with code `inaccessible`; accessors
    /// keep the error for the next save and read the absent values.
    public var shouldDeleteInaccessibleFaults = true
    /// A closure that decides for one object in place of ``shouldDeleteInaccessibleFaults``.
    ///
    /// ``existingObject(with:)`` does not call it and always throws.
    public var shouldHandleInaccessibleFault: ((ManagedObject) -> Bool)?
    /// True if ``processPendingChanges()`` applies the delete rules of deleted objects. If it is
    /// false, only a save applies them, and until then other objects still point to the deleted
    /// ones.
    public var propagatesDeletesAtEndOfEvent = true
    /// Values for the app's own use.
    public var userInfo: [String: Any] = [:]
    @exclusivity(unchecked) private var isRetaining = false
    /// The policy for unsaved changes that conflict with an earlier save of another context or
    /// replica.
    public var mergePolicy: any MergePolicy = .error

    @exclusivity(unchecked) var registry = IdentityMap()
    /// By the entity's index.
    @exclusivity(unchecked) private var homes: [EntityHome?]
    /// Of objects that stand for IDs of other stores.
    private var foreignHomes: [EntityHome] = []
    /// Objects in the order of their first change; some may have lost their changes since.
    @exclusivity(unchecked) var changed: [ManagedObject] = []
    /// The same objects by values that fetches have looked for.
    @exclusivity(unchecked) var pendingKeys = PendingKeys()
    /// How many changed objects fetches have compared with their predicates so far.
    var comparedCount = 0
    @exclusivity(unchecked) var counts = ChangeCounts()
    @exclusivity(unchecked) var event = EventChanges()
    /// Deleted, their relationships not looked at yet.
    @exclusivity(unchecked) var unpropagated: [ManagedObject] = []
    /// Of pending deletions whose relationships have been looked at.
    @exclusivity(unchecked) var deletedIDs: Set<LocalID> = []
    /// Records of pending deletions that objects nobody could name may still mention.
    var incompletelyCleared: Set<LocalID> = []
    /// Records that are gone and that objects may still mention: such a reference reads nil.
    @exclusivity(unchecked) var goneIDs: Set<LocalID> = []
    /// Objects that mentioned a record whose deletion is pending.
    @exclusivity(unchecked) var refaultedIDs: [LocalID] = []
    /// How many of them there may be before those that are none any more are sorted out.
    var maximumRefaulted = 1024
    /// For what mentions a record that is gone.
    var searchLimits = SearchLimits()
    /// Of objects with groups that were set as a whole, the values: ``setGroup(_:of:to:)``.
    @exclusivity(unchecked) var carriedGroups: [ManagedObject: [WireProperty: GroupValue]] = [:]
    /// Unsaved edits over stored values that their authors have not seen.
    @exclusivity(unchecked) var overlaidEdits = OverlaidEdits()
    /// With an undo stack, what that needs of the present event.
    @exclusivity(unchecked) var recorder: ChangeRecorder?
    /// While observers are told of an event, its ``EventChanges/earlierValues``.
    var announcedValues: [ManagedObject: [PropertyValue]] = [:]
    /// What was written behind the context's back, and what is announced to be written.
    @exclusivity(unchecked) var primitives = PrimitiveWrites()
    /// The object that the model's checks were made of last; 0 where a save wants to know anew.
    @exclusivity(unchecked) var checkedID: LocalID = 0
    /// What they found, until a save takes it.
    @exclusivity(unchecked) var modelFailures: [ValidationError] = []
    /// While a save calls hooks: what they have changed in events that are over. Else `nil`.
    @exclusivity(unchecked) var changedByHooks: [ManagedObject]?
    @exclusivity(unchecked) private var prefetched: PrefetchedObjects?
    /// The number of saves and merges so far: while it stays, rows of the store that were read are
    /// not older than the objects.
    @exclusivity(unchecked) var storeStateNumber = 0
    /// How often everything was taken back, for who calls code of the app in between.
    @exclusivity(unchecked) var rollbackCount = 0
    /// Whose `prepareForDeletion` is being called.
    var beingDeleted: [ManagedObject] = []
    /// Unchanged objects that the next save compares, too: ``detectConflicts(for:)``.
    @exclusivity(unchecked) var conflictChecks: Set<ManagedObject> = []
    /// While a save resolves conflicts: what to go back to.
    @exclusivity(unchecked) var savePoint: SavePoint?
    /// What a property's accessor could not throw; the next save does.
    @exclusivity(unchecked) var keptErrors = DeferredErrors()
    /// Where the class that was inserted last is at home.
    @exclusivity(unchecked) var lastInsertion: EntityHome?
    @exclusivity(unchecked) private var nextNumber: LocalID = 1
    @exclusivity(unchecked) private var lastNumber: LocalID = 0
    private var numberBlock = 16
    private var releaseThreshold = 4096
    private var isProcessingScheduled = false
    /// `nil` where nobody can observe objects.
    var observation: ObjectObservation?
    /// The number of the last event of each kind.
    var eventNumbers: [NotificationKind: UInt64] = [:]
    let changeListeners = EventStreams<ObjectIDChanges>()
    let saveListeners = EventStreams<ObjectIDChanges>()
    let mergeListeners = EventStreams<ObjectIDChanges>()
    let errorListeners = EventStreams<any Error>()
    @exclusivity(unchecked) var followers = ResultsFollowers()

    convenience init(coordinator: PersistentStoreCoordinator, queue: ContextQueue) {
        self.init(coordinator, source: .store, queue: queue)
        coordinator.links.connect(link)
    }

    init(
        _ coordinator: PersistentStoreCoordinator, source: ContextSource, queue: ContextQueue
    ) {
        self.coordinator = coordinator
        self.queue = queue
        self.source = source
        link = ContextLink(queue: queue, lostErrors: coordinator.lostErrors)
        if queue.isMain { observation = ObjectObservation() }
        homes = Array(repeating: nil, count: coordinator.model.entities.count)
        link.connect(self)
    }

    deinit {
        // A write to them would ask nobody.
        for object in event.touched { object.flags.subtract(.writable) }
        forgetHomes()
        link.markEnded()
    }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}

extension ManagedObjectContext {
    /// The model of the store.
    public var model: ManagedObjectModel { coordinator.model }

    /// True if objects stay registered even if the app does not hold them. If it is false, only
    /// changed objects stay registered. A retained object keeps the values that were read until it
    /// is refreshed or the context is reset.
    public var retainsRegisteredObjects: Bool {
        get { isRetaining }
        set {
            checkQueue()
            isRetaining = false
            // Nobody may see again what was as good as forgotten.
            releaseUnused()
            isRetaining = newValue
        }
    }

    func checkQueue() {
        assert(
            queue.isCurrent,
            "\(title) was used outside \(queue). \(queue.advice)")
    }

    /// How messages call it.
    var title: String { name.isEmpty ? "A context without a name" : "The context '\(name)'" }

    /// Whether an object stays registered though nobody else holds it.
    func isKept(_ object: ManagedObject) -> Bool {
        isRetaining || !object.flags.isDisjoint(with: [.listed, .recordedInEvent])
            || object.relations?.hasTransientMembers == true
    }

    func home(of entity: EntityDescription) -> EntityHome { home(at: entity.index) }

    /// - Parameter index: The entity's.
    func home(at index: Int) -> EntityHome {
        if let home = homes[index] { return home }
        let home = EntityHome(coordinator.plans.plans[index], context: self)
        homes[index] = home
        return home
    }

    /// Where an object is at home that stands for an ID of another store: it is of this store's
    /// class of the same entity, as long as the slots are the same.
    func foreignHome(of objectID: ManagedObjectID) -> EntityHome {
        let entity = objectID.entity
        if let home = foreignHomes.first(where: {
            $0.origin === objectID.origin && $0.entity === entity
        }) {
            return home
        }
        var type = ManagedObject.self
        if let own = model.entity(named: entity.name),
            own.slots.map(\.name) == entity.slots.map(\.name)
        {
            type = coordinator.plans.plans[own.index].type
        }
        let home = EntityHome(
            EntityPlan(entity, type: type), context: self, origin: objectID.origin)
        foreignHomes.append(home)
        return home
    }

    /// Cuts every object off from the context.
    func forgetHomes() {
        for home in homes { home?.cutOff() }
        for home in foreignHomes { home.cutOff() }
        foreignHomes = []
        lastInsertion = nil
        homes = Array(repeating: nil, count: homes.count)
    }

    func takeNumber() throws -> LocalID {
        if nextNumber > lastNumber {
            let block = try coordinator.takeNumbers(numberBlock)
            numberBlock = min(numberBlock * 4, 4096)
            nextNumber = block.lowerBound
            lastNumber = block.upperBound
        }
        defer { nextNumber += 1 }
        return nextNumber
    }

    func discardNumbers() {
        nextNumber = lastNumber + 1
        coordinator.discardNumbers()
    }

    /// On the main queue pending changes are processed when the present event is over.
    func scheduleProcessing() {
        guard queue.isMain, !isProcessingScheduled else { return }
        isProcessingScheduled = true
        link.enqueue { context in
            context.isProcessingScheduled = false
            context.finishEvent()
        }
    }

    /// The homes that have been needed so far.
    var homesInUse: [EntityHome] { homes.compactMap { $0 } }

    /// Forgets clean objects that nobody else holds.
    func releaseUnused() {
        guard !isRetaining else { return }
        releasePrefetched()
        let unheld = registry.removeUnheld(except: isKept)
        releaseThreshold = max(4096, (registry.count - changed.count) * 2)
        withExtendedLifetime(unheld) {}
    }

    /// Forgets such objects as far as it takes no longer than what was done since the last time.
    func releaseSomeUnused() {
        guard !isRetaining else { return }
        releasePrefetched()
        let unheld = registry.removeSomeUnheld(except: isKept)
        releaseThreshold = min(releaseThreshold, max(4096, registry.count * 2))
        withExtendedLifetime(unheld) {}
    }

    /// Keeps objects in memory while one of their owners is in use.
    func keep(_ objects: [ManagedObject], for owners: [LocalID]) {
        releasePrefetched()
        var prefetched = prefetched ?? PrefetchedObjects()
        let dropped = prefetched.keep(objects, for: owners)
        self.prefetched = prefetched
        withExtendedLifetime(dropped) {}
    }

    private func releasePrefetched() {
        guard var prefetched else { return }
        let unused = prefetched.removeUnused { registry.held($0) { _ in false } != nil }
        self.prefetched = prefetched.isEmpty ? nil : prefetched
        withExtendedLifetime(unused) {}
    }

    /// Forgets what was prefetched, for a context that forgets every object.
    func forgetPrefetched() { prefetched = nil }

    /// At the end of `perform`, and of an event of the main queue. What observers change is an
    /// event of its own; one that never rests is told the next time.
    func finishEvent() {
        processPendingChanges()
        for _ in 0..<Self.maximumRounds where !event.isEmpty { processPendingChanges() }
        releaseSomeUnused()
    }

    /// The greatest number of rounds for hooks or observers that change objects in each round.
    static let maximumRounds = 1000

    func releaseUnusedIfMany() {
        // Changed objects are kept, so that looking at them again and again would be in vain.
        if registry.count - changed.count >= releaseThreshold { releaseUnused() }
    }
}
