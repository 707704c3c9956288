import AnabranchModel
import AnabranchStore

/// The results of a request, from now on: the present one first, and a new one after every change.
///
/// ```swift
/// for try await people in context.values(of: FetchRequest<Person>(where: \.age >= 18)) {
///     list.show(people)
/// }
/// ```
///
/// A result changes when the context processes its pending changes, saves, or merges the changes
/// of another context or a sync. A change of a value of an object in it counts too. A change costs
/// in proportion to itself, as in a ``FetchedResultsController``, and sequences of equal requests
/// share the work. A reader that is slower than the changes misses results, never the last one.
///
/// The sequence ends when its task is cancelled. Iterate on the context's queue: on the main actor
/// for a context of the main queue.
public struct LiveResults<Object: ManagedObject> {
    let request: FetchRequest<Object>
    let context: ManagedObjectContext
}

@available(*, unavailable)
extension LiveResults: Sendable {}

extension LiveResults: AsyncSequence {
    /// Creates an iterator, which begins with the present result.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// An iterator over the results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let sequence: LiveResults
        private let signal = ChangeSignal()
        private var observed: (query: LiveQuery, listener: SignalListener)?

        fileprivate init(sequence: LiveResults) { self.sequence = sequence }

        /// Waits for the next result; `nil` once the task is cancelled.
        ///
        /// - Throws: The errors of ``ManagedObjectContext/fetch(_:)->[Object]``.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> FetchedObjects<Object>? {
            await signal.wait()
            guard !Task.isCancelled else { return nil }
            let query = try query()
            return FetchedObjects(try query.state(), query.source)
        }

        private mutating func query() throws -> LiveQuery {
            sequence.context.checkQueue()
            if let observed { return observed.query }
            let query = try sequence.context.liveQuery(of: sequence.request)
            let listener = SignalListener(signal)
            query.add(listener)
            observed = (query, listener)
            return query
        }
    }
}

/// Raises a signal whenever a result changes.
final class SignalListener: LiveQuery.Listener {
    private let signal: ChangeSignal

    init(_ signal: ChangeSignal) { self.signal = signal }

    func resultDidChange(_ update: ResultsUpdate) { signal.raise() }
    func resultDidEnd() { signal.raise() }
}

extension ManagedObjectContext {
    /// Returns the results of a request, from now on.
    ///
    /// Without sorts the objects are in the order of their IDs. Unsaved changes always count, even
    /// if the request excludes them.
    public func values<Object>(of request: FetchRequest<Object>) -> LiveResults<Object> {
        LiveResults(request: request, context: self)
    }

    func liveQuery<Object>(of request: FetchRequest<Object>) throws -> LiveQuery {
        var request = request
        if request.sorts.isEmpty { request.sorts = [FetchSort("SELF")] }
        return try .shared(request.predicate, in: self) { [unowned self] in
            try ResultsPlan(request, sectionNameKeyPath: nil, in: self)
        }
    }
}
