public import AnabranchModel
public import AnabranchReplication

/// A value that is computed from the result of a request, from now on: the present one first, and
/// a new one whenever it differs from the one before.
///
/// It changes, ends and is iterated as ``LiveResults`` are.
public struct LiveValues<Element: Equatable> {
    /// Creates the source of one iteration, which gets the signal to raise when it has changed.
    let makeSource: (ChangeSignal) throws -> any LiveSource<Element>
}

/// Computes a value that can change.
protocol LiveSource<Element>: AnyObject {
    associatedtype Element

    /// The value now. Its context's queue is checked.
    func value(isolation: isolated (any Actor)?) async throws -> Element
}

@available(*, unavailable)
extension LiveValues: Sendable {}

extension LiveValues: AsyncSequence {
    /// Creates an iterator, which begins with the present value.
    public func makeAsyncIterator() -> Iterator { Iterator(makeSource: makeSource) }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let makeSource: (ChangeSignal) throws -> any LiveSource<Element>
        private let signal = ChangeSignal()
        private var source: (any LiveSource<Element>)?
        private var last: Element?

        fileprivate init(makeSource: @escaping (ChangeSignal) throws -> any LiveSource<Element>) {
            self.makeSource = makeSource
        }

        /// Waits for the next value that differs; `nil` once the task is cancelled.
        ///
        /// - Throws: The errors of ``ManagedObjectContext/fetch(_:)->[Object]``.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Element? {
            while true {
                await signal.wait()
                guard !Task.isCancelled else { return nil }
                let source = try source ?? makeSource(signal)
                self.source = source
                do {
                    let value = try await source.value(isolation: actor)
                    guard value != last else { continue }
                    last = value
                    return value
                } catch is CancellationError where Task.isCancelled {
                    return nil
                }
            }
        }
    }
}

extension ManagedObjectContext {
    /// Returns the number of objects that a request finds, from now on.
    public func counts<Object>(of request: FetchRequest<Object>) -> LiveValues<Int> {
        LiveValues { [self] signal in
            checkQueue()
            return LiveCount(try liveQuery(of: request), signal)
        }
    }

    /// Returns a value that is computed from all objects that a request finds, from now on, such
    /// as their sum.
    ///
    /// ```swift
    /// for try await total in context.values(of: .sum("price"), over: request) { … }
    /// ```
    ///
    /// The cost of a change is in proportion to the change, except for the sum and the mean of
    /// decimals, for distinct counts, `mode` and `stddev`: these are computed anew from values that
    /// are in memory.
    ///
    /// - Parameters:
    ///   - column: A single function of a group, such as ``FetchColumn/sum(_:as:)-(String,_)``.
    ///   - request: The objects. A limit or an offset is refused, and sorts are ignored.
    public func values<Object>(
        of column: FetchColumn, over request: FetchRequest<Object>
    ) -> LiveValues<PropertyValue> {
        LiveValues { [self] signal in
            checkQueue()
            return try LiveAggregate(column, over: request, in: self, signal)
        }
    }

    /// Returns the rows of a request, from now on.
    ///
    /// They are fetched again, on another thread, after each save here that changes an object of
    /// the entity or of one that the request looks at, and after each merge that changes a property
    /// that it looks at. Sequences of equal requests share that fetch. A context that has a parent
    /// fetches on its own queue.
    public func values<Object>(of request: RowRequest<Object>) -> LiveValues<[FetchedRow]> {
        LiveValues { [self] signal in
            checkQueue()
            return try LiveRows(request, in: self, signal)
        }
    }
}

/// The number of objects of a result.
private final class LiveCount: LiveSource {
    private let query: LiveQuery
    private let listener: SignalListener

    init(_ query: LiveQuery, _ signal: ChangeSignal) {
        self.query = query
        listener = SignalListener(signal)
        query.add(listener)
    }

    func value(isolation: isolated (any Actor)?) async throws -> Int {
        query.context.checkQueue()
        return try query.state().count
    }
}
