import AnabranchModel
import AnabranchStore

/// Creates the objects of entries that hold none, one batch at a time.
///
/// It holds the last two batches. So an iteration in either direction, or a view of the border
/// between two batches, reads each batch once. Objects of other batches live as long as the app
/// holds them.
final class BatchLoader {
    let context: ManagedObjectContext
    private let plan: ResultsPlan
    private var slices: [[LocalID: ManagedObject]] = []

    init(context: ManagedObjectContext, plan: ResultsPlan) {
        self.context = context
        self.plan = plan
    }

    /// Returns the object of an entry.
    ///
    /// If the object can't be read, it is a fault, and the context's next save throws the error.
    ///
    /// - Parameters:
    ///   - index: The index of the entry in the window.
    ///   - state: The result that contains the other entries of the batch.
    func object(at index: Int, in state: ResultsState) -> ManagedObject {
        let entry = state.entry(at: index)
        if let object = entry.object { return object }
        for slice in slices { if let object = slice[entry.id] { return current(object, entry) } }
        let start = index - index % max(plan.batchSize, 1)
        let slice = load((start..<min(start + max(plan.batchSize, 1), state.count)), of: state)
        slices = Array(([slice] + slices).prefix(2))
        return slice[entry.id] ?? fault(of: entry)
    }

    /// Returns the object of a record that need not be in a result any more.
    func object(of entry: ResultEntry) -> ManagedObject {
        entry.object ?? fault(of: entry)
    }

    /// Releases the batches.
    func forget() { slices = [] }

    /// Returns an object of a batch. If its context has forgotten the object, the context is asked
    /// for the record again.
    private func current(_ object: ManagedObject, _ entry: ResultEntry) -> ManagedObject {
        guard object.managedObjectContext == nil else { return object }
        return context.held(entry.id, of: entity(of: entry)) ?? object
    }

    private func fault(of entry: ResultEntry) -> ManagedObject {
        let entity = entity(of: entry)
        return context.held(entry.id, of: entity) ?? context.makeFault(entry.id, entity)
    }

    private func entity(of entry: ResultEntry) -> EntityDescription {
        context.model.entities[entry.entityIndex]
    }

    private func load(_ range: Range<Int>, of state: ResultsState) -> [LocalID: ManagedObject] {
        let entries = range.map { state.entry(at: $0) }
        do {
            let objects = try context.objects(listed: entries.map(\.id), of: plan.fetch.entity)
            try prepare(objects)
            let found = Dictionary(
                objects.map { ($0.localID, $0) }, uniquingKeysWith: { first, _ in first })
            // The result has now shown these versions of the rows.
            for entry in entries { found[entry.id].map { entry.version = $0.version } }
            return found
        } catch {
            context.keep(error)
            return [:]
        }
    }

    /// Prefetches relationships and fires faults, as the request demands.
    func prepare(_ objects: [ManagedObject]) throws {
        if !plan.prefetched.isEmpty {
            try context.prefetch(plan.prefetched, of: objects, plan.fetch.entity)
        }
        if plan.firesFaults { for object in objects { try object.fireFaultOrThrow() } }
    }
}
