import AnabranchModel
import AnabranchStore

extension ManagedObjectContext {
    /// Fetches rows of values without blocking the caller's thread while the store reads.
    ///
    /// A context that has a parent reads at once.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - onProgress: Called with the number of rows so far, on any thread: after each thousand
    ///     rows, and at the end.
    /// - Throws: `CancellationError` if the task is cancelled, which interrupts the read; the
    ///   errors of ``fetch(_:)->[FetchedRow]``.
    public func fetchInBackground<Object>(
        _ request: RowRequest<Object>, isolation: isolated (any Actor)? = #isolation,
        onProgress: (@Sendable (_ rowCount: Int) -> Void)? = nil
    ) async throws -> [FetchedRow] {
        try Task.checkCancellation()
        let plan = try RowPlan(request, in: self)
        guard case .store = source else { return try fetch(request) }
        return try await backgroundRead(onProgress).rows(plan, coordinator.origin)
    }

    /// Fetches rows of values as values of a type, without blocking the caller's thread while the
    /// store reads.
    ///
    /// - Throws: The errors of the other background fetch of rows; `DecodingError` for a row that
    ///   does not fit the type, with the name of the column.
    public func fetchInBackground<Object, Row: Decodable>(
        _ request: RowRequest<Object>, as type: Row.Type,
        isolation: isolated (any Actor)? = #isolation,
        onProgress: (@Sendable (_ rowCount: Int) -> Void)? = nil
    ) async throws -> [Row] {
        try await fetchInBackground(request, onProgress: onProgress).map {
            try $0.decoded(as: type)
        }
    }
}
