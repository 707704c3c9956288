import AnabranchModel
import AnabranchStore

/// The objects of a result as it was at one moment, in its order.
///
/// It does not change when the result does: whoever holds it sees what was there when it was
/// asked for. Getting it costs nothing, whatever the number of objects.
///
/// Where the request has a ``FetchRequest/fetchBatchSize`` the collection has only IDs, and an
/// object that is not registered is read when it is asked for, with the others of its slice: all
/// of them in order cost one SELECT a slice, and no more than two slices are in memory unless
/// somebody holds their objects. `count` and the IDs cost no read. An object that was deleted
/// meanwhile says so when it is read; what can't be read is a fault, and the context's next save
/// throws the error.
///
/// It is used on its context's queue.
public struct FetchedObjects<Object: ManagedObject> {
    let state: ResultsState
    let source: ObjectSource
    /// Of the window.
    let range: Range<Int>

    init(_ state: ResultsState, _ source: ObjectSource, _ range: Range<Int>? = nil) {
        self.state = state
        self.source = source
        self.range = range ?? 0..<state.count
    }

    /// The IDs in the same order; making no object.
    public var objectIDs: FetchedObjectIDs {
        FetchedObjectIDs(state, source.context.coordinator.origin, range)
    }
}

@available(*, unavailable)
extension FetchedObjects: Sendable {}

extension FetchedObjects: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { range.count }

    public subscript(position: Int) -> Object {
        precondition(indices.contains(position), "There is no object at \(position).")
        // The plan has checked the class.
        return unsafeDowncast(
            source.object(at: range.lowerBound + position, in: state), to: Object.self)
    }

    public func makeIterator() -> Iterator {
        Iterator(
            entries: state.entries.makeIterator(from: state.window.lowerBound + range.lowerBound),
            objects: self)
    }

    public struct Iterator: IteratorProtocol {
        fileprivate var entries: BlockSequence<ResultEntry>.Iterator
        fileprivate let objects: FetchedObjects
        private var index = 0

        fileprivate init(
            entries: BlockSequence<ResultEntry>.Iterator, objects: FetchedObjects
        ) {
            self.entries = entries
            self.objects = objects
        }

        public mutating func next() -> Object? {
            guard index < objects.count, let entry = entries.next() else { return nil }
            defer { index += 1 }
            return entry.object.map { unsafeDowncast($0, to: Object.self) } ?? objects[index]
        }
    }
}

/// The IDs of a result's objects as it was at one moment, in its order.
public struct FetchedObjectIDs {
    private let state: ResultsState
    private let origin: StoreOrigin
    private let range: Range<Int>

    init(_ state: ResultsState, _ origin: StoreOrigin, _ range: Range<Int>) {
        self.state = state
        self.origin = origin
        self.range = range
    }
}

@available(*, unavailable)
extension FetchedObjectIDs: Sendable {}

extension FetchedObjectIDs: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { range.count }

    public subscript(position: Int) -> ManagedObjectID {
        precondition(indices.contains(position), "There is no object ID at \(position).")
        return state.entry(at: range.lowerBound + position).objectID(origin)
    }
}

extension ManagedObjectContext {
    /// Finds objects that are read when they are asked for.
    ///
    /// As ``fetch(_:)``, of IDs alone: with a batch size of zero, 100 objects are read at a time.
    /// What is unsaved counts, whether or not the request includes it. Without sorts the order is
    /// that of the IDs.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchBatched<Object>(
        _ request: FetchRequest<Object>
    ) throws -> FetchedObjects<Object> {
        checkQueue()
        var request = request
        if request.fetchBatchSize < 1 { request.fetchBatchSize = 100 }
        if request.sorts.isEmpty { request.sorts = [FetchSort("SELF")] }
        let plan = try ResultsPlan(request, sectionNameKeyPath: nil, in: self)
        let whole = try ResultsReader(context: self, plan: plan).whole()
        return FetchedObjects(
            ResultsState(whole.entries, horizon: whole.horizon, plan),
            ObjectSource(context: self, plan: plan))
    }
}
