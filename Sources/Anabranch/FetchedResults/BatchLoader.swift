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
    ///   - list: The result that contains the other entries of the batch.
    func object(at index: Int, in list: ResultList) -> ManagedObject {
        if let object = list.entry(at: index)?.object { return object }
        let (id, entityIndex) = list.record(at: index)
        for slice in slices {
            if let object = slice[id] { return current(object, id, entityIndex) }
        }
        let start = index - index % max(plan.batchSize, 1)
        let slice = load((start..<min(start + max(plan.batchSize, 1), list.count)), of: list)
        slices = Array(([slice] + slices).prefix(2))
        return slice[id] ?? fault(id, entityIndex)
    }

    /// Returns the object of a record that need not be in a result any more.
    func object(of entry: ResultEntry) -> ManagedObject {
        entry.object ?? fault(entry.id, entry.entityIndex)
    }

    func forget() { slices = [] }

    /// Returns an object of a batch. If its context has forgotten the object, the context is asked
    /// for the record again.
    private func current(
        _ object: ManagedObject, _ id: LocalID, _ entityIndex: Int
    ) -> ManagedObject {
        guard object.managedObjectContext == nil else { return object }
        return context.held(id, of: context.model.entities[entityIndex]) ?? object
    }

    private func fault(_ id: LocalID, _ entityIndex: Int) -> ManagedObject {
        let entity = context.model.entities[entityIndex]
        return context.held(id, of: entity) ?? context.makeFault(id, entity)
    }

    private func load(_ range: Range<Int>, of list: ResultList) -> [LocalID: ManagedObject] {
        let ids = range.map { list.record(at: $0).id }
        do {
            let objects = try context.objects(listed: ids, of: plan.fetch.entity)
            try prepare(objects)
            let found = Dictionary(
                objects.map { ($0.localID, $0) }, uniquingKeysWith: { first, _ in first })
            // The result has now shown these versions of the rows.
            for entry in range.compactMap({ list.entry(at: $0) }) {
                found[entry.id].map { entry.version = $0.version }
            }
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
