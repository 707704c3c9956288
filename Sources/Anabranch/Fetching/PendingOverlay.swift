import AnabranchModel
import AnabranchStore

/// The unsaved changes of a context that matter to a fetch.
struct PendingOverlay {
    /// The changed objects of the fetched entity, for which the store's answer does not count.
    let ids: Set<LocalID>
    /// The changed objects that the fetch finds, in its order.
    let matching: [ManagedObject]

    init(_ pending: [ManagedObject], _ plan: FetchPlan) throws {
        ids = Set(pending.map(\.localID))
        matching = try pending.filter {
            try !$0.flags.contains(.deleted) && plan.matches($0)
        }.sorted {
            let relevance = FetchPlan.unsavedRelevance
            return try plan.areInOrder($0, $1, relevances: (relevance, relevance))
        }
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
        var low = stored.startIndex
        var high = stored.endIndex
        while low < high {
            let middle = (low + high) / 2
            let relevances = (FetchPlan.savedRelevance, FetchPlan.unsavedRelevance)
            if try plan.areInOrder(stored[middle], object, relevances: relevances) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
