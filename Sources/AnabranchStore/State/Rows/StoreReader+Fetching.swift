import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension StoreReader {
    /// The IDs that a query finds, in its order. No other column is read, so an index alone can
    /// answer.
    package func identifiers(_ query: FetchQuery) throws -> [LocalID] {
        var found: [LocalID] = []
        try forEachRow(query, selecting: .identifiers) { found.append($0[0].int64) }
        return found
    }

    /// Calls the body for each object that a query finds, with the index of its entity in the
    /// model.
    package func forEachObject(
        _ query: FetchQuery, _ body: (_ entityIndex: Int, LocalID) -> Void
    ) throws {
        guard schema.layout(of: query.entity).table.hasDiscriminator else {
            let index = query.entity.index
            return try forEachRow(query, selecting: .identifiers) { body(index, $0[0].int64) }
        }
        try forEachRow(query, selecting: .rows(["t0.ab_pk", "t0.ab_entity"])) { row in
            guard let entity = schema.entity(numbered: row[1].int64) else { return }
            body(entity.index, row[0].int64)
        }
    }

    /// Calls the body for each row that a query finds, in the query's order.
    package func rows(_ query: FetchQuery, _ body: (StoredRow) throws -> Void) throws {
        let selection = schema.rowSelection(of: query.entity)
        try withExtendedLifetime(selection) {
            try forEachRow(query, selecting: .rows(selection.terms)) {
                try body(try selection.row($0))
            }
        }
    }

    private func forEachRow(
        _ query: FetchQuery, selecting selection: FetchStatement.Selection,
        _ body: (UnsafeRow) throws -> Void
    ) throws {
        let fetch = try fetchStatement(query, selecting: selection)
        guard let sql = fetch.takingSQL else { return try forEachRow(of: prepared(fetch), body) }
        let statement = try statement(sql)
        try bind(fetch, to: statement)
        try exposingPredicateErrors { try statement.takeRows(body) }
    }

    /// Calls the body for each row of a statement that evaluates a predicate, in the order of the
    /// rows.
    func forEachRow(of statement: Statement, _ body: (UnsafeRow) throws -> Void) throws {
        try exposingPredicateErrors { try statement.forEachRow(body) }
    }

    package func count(_ query: FetchQuery) throws -> Int {
        let statement = try prepared(query, selecting: .count)
        return try step(statement) ? Int(statement.int64(at: 0)) : 0
    }

    /// Steps a statement that evaluates a predicate.
    ///
    /// - Throws: `FetchPredicateError` if the predicate itself can't be evaluated for a row, as a
    ///   regular expression that takes too many steps; `SQLiteError`.
    func step(_ statement: Statement) throws -> Bool {
        try exposingPredicateErrors { try statement.step() }
    }

    private func exposingPredicateErrors<Result>(_ run: () throws -> Result) throws -> Result {
        do {
            return try run()
        } catch let error as SQLiteError {
            if let cause = error.underlying as? FetchPredicateError { throw cause }
            throw error
        }
    }

    func prepared(
        _ query: FetchQuery, among ids: [LocalID]? = nil,
        selecting selection: FetchStatement.Selection
    ) throws -> Statement {
        try prepared(fetchStatement(query, among: ids, selecting: selection))
    }

    func fetchStatement(
        _ query: FetchQuery, among ids: [LocalID]? = nil,
        selecting selection: FetchStatement.Selection
    ) throws -> FetchStatement {
        let isShaped = ids == nil && schema.model.entities[query.entity.index] === query.entity
        let shaped = isShaped ? ShapedFetch(query, selecting: selection, store: identity) : nil
        if let shaped, let known = schema.fetches.statement(of: shaped) { return known }
        let statement = try FetchStatement(
            entity: query.entity, includesSubentities: query.includesSubentities,
            predicate: query.predicate, sorts: query.sorts, limit: query.limit,
            offset: query.offset, among: ids, selecting: selection, in: schema, store: identity)
        if let shaped { schema.fetches.keep(statement, of: shaped.shape) }
        return statement
    }

    func prepared(_ fetch: FetchStatement) throws -> Statement {
        let statement = try statement(fetch.sql)
        try bind(fetch, to: statement)
        return statement
    }

    private func statement(_ sql: String) throws -> Statement {
        do {
            return try connection.cached(sql)
        } catch let error as SQLiteError where error.code == .error {
            try checkSearchTables()
            throw error
        }
    }

    /// Checks that the file has an index of words for each table that its model has one for. A
    /// store that is open for reading can't make them.
    private func checkSearchTables() throws {
        for table in schema.tables {
            guard let words = SearchTable(table), try !connection.hasTable(words.plainName)
            else { continue }
            throw FetchPredicateError(
                .notSearchable, entity: table.root.name,
                "Can't search the words of \(table.root.name) because the store has no index of "
                    + "them, and it is open for reading only: open it once for writing with this "
                    + "model.")
        }
    }

    func bind(_ fetch: FetchStatement, to statement: Statement) throws {
        for (index, value) in fetch.bindings.enumerated() {
            try statement.bind(slot: value, at: index + 1)
        }
    }
}
