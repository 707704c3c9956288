import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The objects that a request finds, batch by batch, read without blocking the caller's thread.
///
/// ```swift
/// for try await people in context.batches(of: request, size: 500) {
///     export(people)
/// }
/// ```
///
/// The IDs of all objects are read first, eight bytes each. So every object comes once, in the
/// order that the request had at the beginning. An object that is deleted before its batch is read
/// is left out. Memory does not grow with the number of objects if the app does not keep them.
///
/// The sequence ends early, with `CancellationError`, when its task is cancelled. Iterate on the
/// context's queue: on the main actor for a context of the main queue.
public struct FetchedBatches<Object: ManagedObject> {
    fileprivate let request: FetchRequest<Object>
    fileprivate let size: Int
    fileprivate let context: ManagedObjectContext
}

@available(*, unavailable)
extension FetchedBatches: Sendable {}

extension FetchedBatches: AsyncSequence {
    /// Creates an iterator, which reads the IDs when it is first asked.
    public func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

    /// An iterator over batches.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let batches: FetchedBatches
        private var ids: [LocalID]?
        private var next = 0
        private var plan: FetchPlan?

        fileprivate init(batches: FetchedBatches) { self.batches = batches }

        /// Reads the next batch; `nil` after the last one.
        ///
        /// - Throws: `CancellationError`; the errors of
        ///   ``ManagedObjectContext/fetch(_:)->[Object]``.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> [Object]? {
            let (context, request) = (batches.context, batches.request)
            context.checkQueue()
            try Task.checkCancellation()
            let plan = try plan ?? FetchPlan(request, in: context)
            self.plan = plan
            if ids == nil {
                ids = try await context.idsInBackground(
                    plan, includingPending: request.includesPendingChanges)
            }
            while let ids, next < ids.count {
                let batch = Array(ids[next..<Swift.min(next + batches.size, ids.count)])
                next += batch.count
                let objects = try await context.objectsInBackground(batch, plan)
                if objects.isEmpty { continue }
                return try context.prepared(objects, for: request, plan)
            }
            return nil
        }
    }
}

extension ManagedObjectContext {
    /// Returns the objects that a request finds in batches, without blocking the caller's thread.
    ///
    /// - Parameter size: The greatest number of objects of a batch, from 1 on.
    public func batches<Object>(
        of request: FetchRequest<Object>, size: Int = 100
    ) -> FetchedBatches<Object> {
        FetchedBatches(request: request, size: max(size, 1), context: self)
    }
}
