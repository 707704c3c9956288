package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The parameters of a fetch, resolved against the model.
package struct FetchQuery: Sendable {
    package var entity: EntityDescription
    package var includesSubentities = true
    package var predicate: ResolvedPredicate?
    package var sorts: [ResolvedSort] = []
    package var limit: Int?
    package var offset = 0

    package init(entity: EntityDescription) { self.entity = entity }
}

extension StoreReader {
    /// The IDs that a query finds, in its order. No other column is read, so an index alone can
    /// answer.
    package func identifiers(_ query: FetchQuery) throws -> [LocalID] {
        let statement = try prepared(query, selecting: .identifiers)
        var found: [LocalID] = []
        while try step(statement) { found.append(statement.int64(at: 0)) }
        return found
    }

    /// The IDs that a query finds, each with its entity.
    package func objects(
        _ query: FetchQuery
    ) throws -> [(entity: EntityDescription, id: LocalID)] {
        var found: [(entity: EntityDescription, id: LocalID)] = []
        try forEachObject(query) { found.append((schema.model.entities[$0], $1)) }
        return found
    }

    /// Calls the body for each object that a query finds, with the index of its entity in the
    /// model.
    package func forEachObject(
        _ query: FetchQuery, _ body: (_ entityIndex: Int, LocalID) -> Void
    ) throws {
        guard schema.layout(of: query.entity).table.hasDiscriminator else {
            let index = query.entity.index
            let statement = try prepared(query, selecting: .identifiers)
            while try step(statement) { body(index, statement.int64(at: 0)) }
            return
        }
        let statement = try prepared(query, selecting: .rows("t0.ab_pk, t0.ab_entity"))
        while try step(statement) {
            guard let entity = schema.entity(numbered: statement.int64(at: 1)) else { continue }
            body(entity.index, statement.int64(at: 0))
        }
    }

    /// Calls the body for each row that a query finds, in the query's order.
    package func rows(
        _ query: FetchQuery, _ body: (StoredRow) throws -> Void
    ) throws {
        let selection = RowSelection(query.entity, schema: schema)
        let statement = try prepared(query, selecting: .rows(selection.sql(alias: "t0")))
        try read(statement, selection, body)
    }

    func read(
        _ statement: Statement, _ selection: RowSelection, _ body: (StoredRow) throws -> Void
    ) throws {
        try withExtendedLifetime((selection, statement)) {
            while try step(statement) { try body(try selection.row(statement)) }
        }
    }

    package func count(_ query: FetchQuery) throws -> Int {
        let statement = try prepared(query, selecting: .count)
        defer { statement.reset() }
        return try step(statement) ? Int(statement.int64(at: 0)) : 0
    }

    /// Steps a statement that evaluates a predicate.
    ///
    /// - Throws: `FetchPredicateError` if the predicate itself can't be evaluated for a row, as a
    ///   regular expression that takes too many steps; `SQLiteError`.
    func step(_ statement: Statement) throws -> Bool {
        do {
            return try statement.step()
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
        try FetchStatement(
            entity: query.entity, includesSubentities: query.includesSubentities,
            predicate: query.predicate, sorts: query.sorts, limit: query.limit,
            offset: query.offset, among: ids, selecting: selection, in: schema, store: identity)
    }

    func prepared(_ fetch: FetchStatement) throws -> Statement {
        let statement = try connection.cached(fetch.sql)
        try bind(fetch, to: statement)
        return statement
    }

    func bind(_ fetch: FetchStatement, to statement: Statement) throws {
        for (index, value) in fetch.bindings.enumerated() {
            try statement.bind(slot: value, at: index + 1)
        }
    }
}
