import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The unsaved changes of a context that matter to a fetch.
struct PendingOverlay {
    /// The number of rows of the store that the overlay may take the place of.
    let rowCount: Int
    /// The objects among the evaluated ones that the fetch finds, in its order.
    let matching: [ManagedObject]
    private let others: Set<LocalID>
    private let context: ManagedObjectContext
    private let plan: FetchPlan

    /// - Parameters:
    ///   - own: The changed objects of the fetched entity that the fetch may find.
    ///   - others: Objects without changes from which a relationship reads differently.
    ///   - rowCount: The number of changed objects of the entity that the store may have.
    init(
        own: [ManagedObject], others: [ManagedObject], rowCount: Int, _ plan: FetchPlan,
        in context: ManagedObjectContext
    ) throws {
        self.rowCount = rowCount + others.count
        self.others = Set(others.map(\.localID))
        self.context = context
        self.plan = plan
        context.comparedCount += own.count + others.count
        matching = try (own + others).filter {
            try !$0.flags.contains(.deleted) && plan.matches($0)
        }.sorted {
            let relevance = FetchPlan.unsavedRelevance
            return try plan.areInOrder($0, $1, relevances: (relevance, relevance))
        }
    }

    /// True if the store's answer about a record does not count.
    func replaces(_ id: LocalID) -> Bool {
        context.isPending(id, for: plan) || others.contains(id)
    }

    /// Inserts the pending objects in order among those of the store.
    ///
    /// - Parameter stored: The objects in the fetch's order. Without sorts and window they come in
    ///   any order, and the pending objects are appended.
    func merge(into stored: [ManagedObject], _ plan: FetchPlan) throws -> [ManagedObject] {
        guard !matching.isEmpty else { return stored }
        guard !plan.sorts.isEmpty || plan.isWindow else { return stored + matching }
        var merged: [ManagedObject] = []
        merged.reserveCapacity(stored.count + matching.count)
        var rest = stored[...]
        for object in matching {
            let place = try Self.place(of: object, in: rest, plan)
            merged += rest[..<place]
            merged.append(object)
            rest = rest[place...]
        }
        return merged + rest
    }

    /// Finds the place by bisection, because every comparison can fire a fault.
    private static func place(
        of object: ManagedObject, in stored: ArraySlice<ManagedObject>, _ plan: FetchPlan
    ) throws -> Int {
        try stored.partitioningIndex {
            try !plan.areInOrder(
                $0, object, relevances: (FetchPlan.savedRelevance, FetchPlan.unsavedRelevance))
        }
    }
}
