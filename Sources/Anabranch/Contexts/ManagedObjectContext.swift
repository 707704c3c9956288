public import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// A scratch pad of objects: what is changed in it is seen by others once it is saved.
///
/// A context and its objects are used on its queue only: the main queue's by main-actor code, a
/// private queue's in the bodies of ``BackgroundContext``. Debug builds check that. It has one
/// object for a record, and it keeps only those that have changed: others stay registered while
/// somebody holds them.
public final class ManagedObjectContext {
    public let coordinator: PersistentStoreCoordinator
    let queue: ContextQueue
    let link: ContextLink
    /// For people who look at several contexts; also in the history.
    public var name = ""
    /// Who changes things here, in the history.
    public var transactionAuthor = ""
    /// Whether saves of the coordinator's other contexts refresh this one's objects.
    public var automaticallyMergesChangesFromParent = false

    @exclusivity(unchecked) var registry = IdentityMap()
    /// By the entity's index.
    @exclusivity(unchecked) private var homes: [EntityHome?]
    /// Of objects that stand for IDs of other stores.
    private var foreignHomes: [EntityHome] = []
    /// Objects in the order of their first change; some may have lost their changes since.
    @exclusivity(unchecked) var changed: [ManagedObject] = []
    @exclusivity(unchecked) var counts = ChangeCounts()
    @exclusivity(unchecked) var event = EventChanges()
    /// Deleted, their relationships not looked at yet.
    var unpropagated: [ManagedObject] = []
    /// Of pending deletions whose relationships have been looked at.
    @exclusivity(unchecked) var deletedIDs: Set<LocalID> = []
    /// Of objects with groups that were set as a whole, the values: ``setGroup(_:of:to:)``.
    @exclusivity(unchecked) var carriedGroups: [ManagedObject: [WireProperty: GroupValue]] = [:]
    /// What a property's accessor could not throw; the next save does.
    var keptErrors = KeptErrors()
    /// Where the class that was inserted last is at home.
    var lastInsertion: EntityHome?
    @exclusivity(unchecked) private var nextNumber: LocalID = 1
    @exclusivity(unchecked) private var lastNumber: LocalID = 0
    private var numberBlock = 16
    private var releaseThreshold = 4096
    private var isProcessingScheduled = false
    var observers = Listeners<ObjectIDChanges>()
    var followers = ResultsFollowers()

    init(coordinator: PersistentStoreCoordinator, queue: ContextQueue) {
        self.coordinator = coordinator
        self.queue = queue
        link = ContextLink(queue: queue)
        homes = Array(repeating: nil, count: coordinator.model.entities.count)
        link.connect(self)
        coordinator.connect(link)
    }

    deinit { forgetHomes() }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}

extension ManagedObjectContext {
    public var model: ManagedObjectModel { coordinator.model }

    func checkQueue() {
        assert(queue.isCurrent, "A context was used outside its queue.")
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

    /// Keeps an error of an accessor that can't throw, for the next save.
    func keep(_ error: any Error) { keptErrors.keep(error) }

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
            context.processPendingChanges()
            context.releaseUnusedIfMany()
        }
    }

    /// Forgets clean objects that nobody else holds.
    func releaseUnused() {
        let unheld = registry.removeUnheld { !$0.flags.isDisjoint(with: [.listed, .noted]) }
        releaseThreshold = max(4096, (registry.count - changed.count) * 2)
        withExtendedLifetime(unheld) {}
    }

    /// At the end of `perform`.
    func finishEvent() {
        processPendingChanges()
        releaseUnused()
    }

    func releaseUnusedIfMany() {
        // Changed objects are kept, so that looking at them again and again would be in vain.
        if registry.count - changed.count >= releaseThreshold { releaseUnused() }
    }
}
