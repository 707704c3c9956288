import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Dispatch

/// The rows that a request has found in the store, before the context makes objects of them.
struct StoredRows: Sendable {
    let rows: [RowCopy]
    /// The number of rows that were read beyond the window of the request.
    let extraCount: Int

    /// The number of objects that may change while the rows are read, for which a window has spare
    /// rows.
    static let spareCount = 64

    /// True if the window can be filled from the rows without the objects that the context
    /// evaluates itself.
    func suffice(for overlay: PendingOverlay?, _ plan: FetchPlan) -> Bool {
        !plan.isWindow || overlay?.rowCount ?? 0 <= extraCount
    }
}

/// Reads rows on a thread that may block.
struct BackgroundRead: Sendable {
    let store: Store
    /// The state to read; `nil` for the present one.
    let snapshot: StoreSnapshot?
    let onProgress: (@Sendable (_ rowCount: Int) -> Void)?

    /// The number of rows from one report of the progress to the next.
    private static let reportInterval = 1000

    /// Reads the rows that a query finds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile; the errors of a read.
    func rows(_ query: FetchQuery) async throws -> [RowCopy] {
        try await run { reader, cancellation in
            try reader.stoppable(by: cancellation) {
                var rows: [RowCopy] = []
                try reader.rows(query) { row in
                    rows.append(RowCopy(.stored(row)))
                    try report(rows.count, cancellation)
                }
                onProgress?(rows.count)
                return rows
            }
        }
    }

    /// Reads the IDs that a query finds, each with the index of its entity.
    func objects(_ query: FetchQuery) async throws -> [(entityIndex: Int, id: LocalID)] {
        try await run { reader, cancellation in
            try reader.stoppable(by: cancellation) {
                var found: [(entityIndex: Int, id: LocalID)] = []
                try reader.forEachObject(query) { entityIndex, id in
                    found.append((entityIndex, id))
                    if found.count.isMultiple(of: Self.reportInterval) { onProgress?(found.count) }
                }
                onProgress?(found.count)
                return found
            }
        }
    }

    /// Reads the values of a request for rows.
    func rows(_ plan: RowPlan, _ origin: StoreOrigin) async throws -> [FetchedRow] {
        let columns = plan.columns
        return try await run { reader, cancellation in
            try reader.stoppable(by: cancellation) {
                var found: [FetchedRow] = []
                try reader.values(plan.query, plan.rows) { cells in
                    found.append(FetchedRow(columns, cells, origin))
                    try report(found.count, cancellation)
                }
                onProgress?(found.count)
                return found
            }
        }
    }

    func rows(of entity: EntityDescription, ids: [LocalID]) async throws -> [RowCopy] {
        try await run { reader, cancellation in
            try reader.stoppable(by: cancellation) {
                var rows: [RowCopy] = []
                try reader.rows(of: entity, ids: ids) { rows.append(RowCopy(.stored($0))) }
                return rows
            }
        }
    }

    private func report(_ count: Int, _ cancellation: ReadCancellation) throws {
        guard count.isMultiple(of: Self.reportInterval) else { return }
        if cancellation.isCancelled { throw CancellationError() }
        onProgress?(count)
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (StoreReader, ReadCancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async {
                    continuation.resume(
                        with: Swift.Result {
                            try snapshot.map { try $0.read { try body($0, cancellation) } }
                                ?? store.read { try body($0, cancellation) }
                        })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
