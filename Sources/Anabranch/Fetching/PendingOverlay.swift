import AnabranchModel
import AnabranchStore

/// What a context has not saved yet, as far as it matters to a fetch.
struct PendingOverlay {
    /// Of every changed object of the fetched entity: what the store says of them does not count.
    let ids: Set<LocalID>
    /// Those of them that the fetch finds, in its order.
    let matching: [ManagedObject]

    init(_ pending: [ManagedObject], _ plan: FetchPlan) throws {
        ids = Set(pending.map(\.localID))
        matching = try pending.filter {
            try !$0.flags.contains(.deleted) && plan.matches($0)
        }.sorted { try plan.areInOrder($0, $1) }
    }

    /// Puts the pending objects where they belong among those of the store.
    ///
    /// - Parameter stored: In the fetch's order; without sorts and window in any, and then the
    ///   pending objects come last.
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

    /// By bisection: every comparison may realise an object.
    private static func place(
        of object: ManagedObject, in stored: ArraySlice<ManagedObject>, _ plan: FetchPlan
    ) throws -> Int {
        var low = stored.startIndex
        var high = stored.endIndex
        while low < high {
            let middle = (low + high) / 2
            if try plan.areInOrder(stored[middle], object) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
