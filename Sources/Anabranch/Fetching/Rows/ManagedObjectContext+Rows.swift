import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Fetches rows of values.
    ///
    /// - Throws: `FetchPredicateError` for a column, group, condition or sort that does not fit
    ///   the entity; ``PropertyError`` for an unknown entity or one with another class, and with
    ///   code `unsavedChanges` if the request includes pending changes and there are some;
    ///   `StoreError`.
    public func fetch<Object>(_ request: RowRequest<Object>) throws -> [FetchedRow] {
        let plan = try RowPlan(request, in: self)
        let columns = plan.columns
        let origin = coordinator.origin
        var found: [FetchedRow] = []
        try onRoot { root in
            try root.readStore {
                try $0.values(plan.query, plan.rows) { cells in
                    found.append(FetchedRow(columns, cells, origin))
                }
            }
        }
        return found
    }

    /// Fetches rows of values as values of a type.
    ///
    /// ```swift
    /// struct Cost: Decodable { var department: String?, people: Int }
    /// let costs = try context.fetch(request, as: Cost.self)
    /// ```
    ///
    /// - Throws: The errors of ``fetch(_:)->[FetchedRow]``; `DecodingError` for a row that
    ///   does not fit the type, with the name of the column.
    public func fetch<Object, Row: Decodable>(
        _ request: RowRequest<Object>, as type: Row.Type
    ) throws -> [Row] {
        try fetch(request).map { try $0.decoded(as: type) }
    }

    /// Returns the number of rows that a fetch would find.
    ///
    /// - Throws: The errors of ``fetch(_:)->[FetchedRow]``.
    public func count<Object>(for request: RowRequest<Object>) throws -> Int {
        let plan = try RowPlan(request, in: self)
        return try onRoot { root in
            try root.readStore { try $0.count(plan.query, plan.rows) }
        }
    }

    /// Runs a closure on the queue of the context that has no parent.
    func onRoot<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
        switch source {
        case .store: try body(self)
        case .parent(let parent): try parent.onQueue { try $0.onRoot(body) }
        }
    }

    /// True if this context, or a parent, has changes that are not saved to the store.
    fileprivate var hasChangesAboveStore: Bool {
        get throws {
            if hasChanges { return true }
            guard case .parent(let parent) = source else { return false }
            return try parent.onQueue { try $0.hasChangesAboveStore }
        }
    }
}

extension FetchedRow {
    /// Creates a row of cells that were read from the store.
    init(_ columns: RowColumns, _ cells: [RowCell], _ origin: StoreOrigin) {
        self.init(columns: columns, contents: cells.map { Content($0, origin) })
    }
}

extension FetchedRow.Content {
    fileprivate init(_ cell: RowCell, _ origin: StoreOrigin) {
        switch cell {
        case .value(let value): self = .value(value)
        case .object(let entityIndex, let id):
            self = .object(ManagedObjectID(origin: origin, entityIndex: entityIndex, localID: id))
        }
    }
}

/// A request for rows that was checked against the model.
struct RowPlan: Equatable {
    let query: FetchQuery
    let rows: ResolvedRows

    var columns: RowColumns { RowColumns(rows, of: query.entity) }

    init<Object>(_ request: RowRequest<Object>, in context: ManagedObjectContext) throws {
        context.checkQueue()
        if request.includesPendingChanges, try context.hasChangesAboveStore {
            throw PropertyError(
                .unsavedChanges,
                "Can't fetch rows of \(request.entityName) with the unsaved changes of the context "
                    + "because rows come from the store; save first, or fetch without pending "
                    + "changes.", entity: request.entityName)
        }
        var objects = FetchRequest<Object>(entityName: request.entityName)
        objects.predicate = request.predicate
        objects.variables = request.variables
        objects.includesSubentities = request.includesSubentities
        objects.fetchLimit = request.fetchLimit
        objects.fetchOffset = request.fetchOffset
        let plan = try FetchPlan(objects, in: context)
        query = plan.query()
        rows = try RowsDescription(
            columns: request.propertiesToFetch, groups: request.propertiesToGroupBy,
            having: try context.withResultsOfFetches(in: request.havingPredicate),
            sorts: request.sorts, isDistinct: request.returnsDistinctResults
        ).resolved(for: plan.entity, variables: request.variables)
    }

    /// The predicates together, and all other operands as sorts.
    var operands: (ResolvedPredicate, [ResolvedSort]) {
        let operands = rows.columns.map(\.operand) + rows.groups
        let conditions = [query.predicate, rows.having].compactMap { $0 }
        return (.conjunction(conditions), rows.sorts + operands.map { ResolvedSort($0) })
    }
}
