import AnabranchModel
import AnabranchStore

/// The objects of a fetched result at one moment, in its order.
///
/// The collection does not change when the result does. Creating it costs nothing, whatever the
/// number of objects.
///
/// If the request has a ``FetchRequest/fetchBatchSize``, the collection holds only IDs. An object
/// that is not registered is read on access, together with the other objects of its batch:
/// iterating over all objects costs one SELECT per batch. At most two batches stay in memory,
/// apart from objects that the app holds. `count` and the IDs cost no read. An object that was
/// deleted meanwhile shows that when it is read. An object that can't be read is a fault, and the
/// context's next save throws the error.
///
/// Use it on its context's queue only.
public struct FetchedObjects<Object: ManagedObject> {
    let list: ResultList
    let source: BatchLoader
    /// The range of the collection within the result's window.
    let range: Range<Int>

    init(_ list: ResultList, _ source: BatchLoader, _ range: Range<Int>? = nil) {
        self.list = list
        self.source = source
        self.range = range ?? 0..<list.count
    }

    init(_ state: ResultsState, _ source: BatchLoader, _ range: Range<Int>? = nil) {
        self.init(.tracked(state), source, range)
    }

    /// The object IDs in the same order, without creating an object.
    public var objectIDs: FetchedObjectIDs {
        FetchedObjectIDs(list, source.context.coordinator.origin, range)
    }
}

@available(*, unavailable)
extension FetchedObjects: Sendable {}

extension FetchedObjects: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { range.count }

    /// The object at a position, which is read with its batch if necessary.
    public subscript(position: Int) -> Object {
        precondition(indices.contains(position), "There is no object at \(position).")
        // The plan has checked the class.
        return unsafeDowncast(
            source.object(at: range.lowerBound + position, in: list), to: Object.self)
    }

    /// Returns an iterator over the objects in order.
    public func makeIterator() -> Iterator {
        Iterator(entries: list.entries(from: range.lowerBound), objects: self)
    }

    /// An iterator over the objects of a result.
    public struct Iterator: IteratorProtocol {
        /// The entries of a tracked result, which may hold their objects.
        fileprivate var entries: BlockSequence<ResultEntry>.Iterator?
        fileprivate let objects: FetchedObjects
        private var index = 0

        fileprivate init(entries: BlockSequence<ResultEntry>.Iterator?, objects: FetchedObjects) {
            self.entries = entries
            self.objects = objects
        }

        /// Returns the next object; `nil` at the end.
        public mutating func next() -> Object? {
            guard index < objects.count else { return nil }
            defer { index += 1 }
            let object = entries?.next()?.object
            return object.map { unsafeDowncast($0, to: Object.self) } ?? objects[index]
        }
    }
}

/// The IDs of a result's objects at one moment, in its order.
public struct FetchedObjectIDs {
    private let list: ResultList
    private let origin: StoreOrigin
    private let range: Range<Int>

    init(_ list: ResultList, _ origin: StoreOrigin, _ range: Range<Int>) {
        self.list = list
        self.origin = origin
        self.range = range
    }
}

@available(*, unavailable)
extension FetchedObjectIDs: Sendable {}

extension FetchedObjectIDs: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of object IDs.
    public var endIndex: Int { range.count }

    /// The object ID at a position.
    public subscript(position: Int) -> ManagedObjectID {
        precondition(indices.contains(position), "There is no object ID at \(position).")
        return list.objectID(at: range.lowerBound + position, origin)
    }
}

extension ManagedObjectContext {
    /// Fetches objects that are read in batches when they are accessed.
    ///
    /// It finds the same objects as ``fetch(_:)->[Object]`` but reads only their IDs first, which
    /// take eight bytes each. With unsaved changes, or in a context that has a parent, it keeps the
    /// sort keys too. A batch size of zero means 100 objects. Unsaved changes always count, even if
    /// the request excludes them. Without sorts the objects are in the order of their IDs.
    ///
    /// - Throws: The errors of ``fetch(_:)->[Object]``.
    public func fetchBatched<Object>(
        _ request: FetchRequest<Object>
    ) throws -> FetchedObjects<Object> {
        checkQueue()
        var request = request
        if request.fetchBatchSize < 1 { request.fetchBatchSize = 100 }
        if request.sorts.isEmpty { request.sorts = [FetchSort("SELF")] }
        let plan = try ResultsPlan(request, sectionNameKeyPath: nil, in: self)
        let loader = BatchLoader(context: self, plan: plan)
        if case .store = source, !hasChanges {
            return FetchedObjects(.identifiers(try identifierList(plan.fetch)), loader)
        }
        let whole = try ResultsReader(context: self, plan: plan).whole()
        return FetchedObjects(ResultsState(whole.entries, horizon: whole.horizon, plan), loader)
    }

    private func identifierList(_ plan: FetchPlan) throws -> IdentifierList {
        var list = IdentifierList(hasSubentities: !plan.entity.subentities.isEmpty)
        try readStore(isOneStatement: true) { reader in
            try reader.forEachObject(plan.query()) { list.append($1, entityIndex: $0) }
        }
        return list
    }
}
