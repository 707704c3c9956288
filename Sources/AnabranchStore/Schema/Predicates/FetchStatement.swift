package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// The SELECT of a fetch, with its bindings.
///
/// Tables have aliases. `t0` is the table of the fetched entity, and `tN` that of the elements of
/// the N-th enclosing collection. `tN_M` is the M-th object that a to-one relationship references
/// from there. A to-one is a LEFT JOIN of its target's table, so a target that does not exist reads
/// as missing. `s0` is the table of the words that a search of the fetched objects finds.
///
/// A condition may evaluate to NULL instead of false. Conditions stand only under AND, OR, WHERE
/// and `IS NOT TRUE`, where both mean the same. So they keep the plain form for which SQLite can
/// use an index.
package struct FetchStatement: Sendable {
    /// The columns that a fetch selects.
    package enum Selection: Hashable, Sendable {
        /// The column `ab_pk` alone.
        case identifiers
        /// SQL of each column, in terms of `t0`.
        case rows([String])
        /// The columns of `rows`, followed by one column for the key of each sort.
        case rowsAndKeys([String])
        /// The columns of rows of values. Their groups and sorts belong to the statement.
        case values(ResolvedRows)
        case count
        /// The number of rows of values.
        case countOfValues(ResolvedRows)

        /// The rows of values; `nil` for a fetch of objects.
        fileprivate var values: ResolvedRows? {
            switch self {
            case .values(let rows), .countOfValues(let rows): rows
            case .identifiers, .rows, .rowsAndKeys, .count: nil
            }
        }

        /// True if only columns of `t0` are selected.
        fileprivate var isOfRows: Bool {
            switch self {
            case .identifiers, .rows: true
            case .rowsAndKeys, .count, .values, .countOfValues: false
            }
        }

        /// The columns as one call of a function; `nil` if they need keys or groups.
        fileprivate var taken: String? {
            switch self {
            case .identifiers: Statement.takingRows(of: ["t0.ab_pk"])
            case .rows(let columns): Statement.takingRows(of: columns)
            case .rowsAndKeys, .count, .values, .countOfValues: nil
            }
        }
    }

    package let sql: String
    /// The same statement for `Statement.takeRows`; `nil` if its rows have an order.
    package let takingSQL: String?
    /// The bindings by position; a reference is the local ID as an integer.
    package let bindings: [PropertyValue]

    init(sql: String, takingSQL: String?, bindings: [PropertyValue]) {
        self.sql = sql
        self.takingSQL = takingSQL
        self.bindings = bindings
    }

    /// Writes the statement of a fetch.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of rows; `nil` for all. With a limit or an offset and no
    ///     sorts, rows are ordered by ID, so that consecutive windows fit together.
    ///   - ids: The only rows to consider; `nil` for any.
    ///   - store: The ``PredicateObjectReference/store`` of this store's own objects. Objects of
    ///     another store equal no row. If `nil`, every object counts as this store's own.
    /// - Throws: ``FetchPredicateError`` with code `tooManyValues` for more values than a statement
    ///   can bind, or `tooComplex` for a predicate that is nested too deeply or joins too many
    ///   tables.
    package init(
        entity: EntityDescription, includesSubentities: Bool = true,
        predicate: ResolvedPredicate? = nil, sorts: [ResolvedSort] = [], limit: Int? = nil,
        offset: Int = 0, among ids: [LocalID]? = nil, selecting selection: Selection,
        in naming: any SchemaNaming, store: (any Hashable & Sendable)? = nil
    ) throws(FetchPredicateError) {
        var writer = PredicateSQL(naming: naming, store: store)
        writer.enter("t0")
        let search = LeadingSearch(predicate, naming)
        if ids == nil, Self.isWhole(entity, includesSubentities),
            let best = BestOfSearch(search, of: entity, sorts, limit, offset, in: naming),
            selection.isOfRows
        {
            let columns = try Self.columns(selection, sorts, &writer)
            sql = "SELECT \(columns) FROM \(best.source)"
            takingSQL = nil
            bindings = best.bindings
            return
        }
        let searchJoin = writer.join(search, of: entity)
        let columns = try Self.columns(selection, sorts, &writer)
        if let ids { writer.bindings.append(.string(SQL.json(ids))) }
        let conditions = try Self.conditions(
            entity, includesSubentities, search, in: naming, &writer)
        let isWindow = limit != nil || offset > 0
        let rows = selection.values
        let grouping = try rows.map { rows throws(FetchPredicateError) in
            try writer.grouping(of: rows)
        }
        let order = try Self.order(
            by: rows?.sorts ?? sorts, of: rows, isWindow: isWindow, isCount: selection == .count,
            &writer)
        let joins = writer.leave()
        try Self.check(writer.bindings, of: entity)

        var text = "\(naming.table(for: entity)) AS t0"
        if ids != nil { text = "json_each(?) AS j CROSS JOIN \(text) ON t0.ab_pk = j.value" }
        text += searchJoin + joins
        if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
        text += (grouping ?? "") + order
        if isWindow {
            text += " LIMIT ? OFFSET ?"
            writer.bindings += [.integer(Int64(limit ?? -1)), .integer(Int64(offset))]
        }
        let select = rows?.isDistinct == true ? "SELECT DISTINCT" : "SELECT"
        sql =
            switch selection {
            case .count where isWindow: "SELECT count(*) FROM (SELECT 1 FROM \(text))"
            case .countOfValues: "SELECT count(*) FROM (\(select) \(columns) FROM \(text))"
            default: "\(select) \(columns) FROM \(text)"
            }
        takingSQL =
            order.isEmpty ? selection.taken.map { "SELECT \($0) FROM \(text)" } : nil
        bindings = writer.bindings
    }

    private static func columns(
        _ selection: Selection, _ sorts: [ResolvedSort], _ writer: inout PredicateSQL
    ) throws(FetchPredicateError) -> String {
        switch selection {
        case .identifiers: return "t0.ab_pk"
        case .rows(let columns): return columns.joined(separator: ", ")
        case .count: return "count(*)"
        case .values(let rows), .countOfValues(let rows): return try writer.columns(of: rows)
        case .rowsAndKeys(let columns):
            var all = columns
            for sort in sorts { all.append(try writer.operand(sort.operand, sort.options)) }
            return all.joined(separator: ", ")
        }
    }

    /// SQLite's default limit of 32,766 bindings, minus the two of a window.
    private static let greatestBindingCount = 32_764

    private static func check(
        _ bindings: [PropertyValue], of entity: EntityDescription
    ) throws(FetchPredicateError) {
        guard bindings.count > greatestBindingCount else { return }
        throw FetchPredicateError(
            .tooManyValues, entity: entity.name,
            "Can't evaluate the predicate because it has \(bindings.count) values, and SQLite "
                + "binds at most \(greatestBindingCount) of a predicate. Split the fetch, "
                + "or use IN.")
    }

    /// True for the rows of a whole hierarchy. They need no restriction, which would keep SQLite
    /// from using an index.
    private static func isWhole(_ entity: EntityDescription, _ includesSubentities: Bool) -> Bool {
        includesSubentities && entity.superentity == nil
    }

    private static func conditions(
        _ entity: EntityDescription, _ includesSubentities: Bool, _ search: LeadingSearch,
        in naming: any SchemaNaming, _ writer: inout PredicateSQL
    ) throws(FetchPredicateError) -> [String] {
        var conditions: [String] = []
        if !isWhole(entity, includesSubentities),
            let numbers = naming.entityNumbers(
                for: entity, includingSubentities: includesSubentities)
        {
            let list = numbers.map(String.init).joined(separator: ", ")
            conditions.append("t0.ab_entity IN (\(list))")
        }
        if let condition = writer.condition(search) { conditions.append(condition) }
        if let predicate = search.rest, predicate != .constant(true) {
            conditions.append("(" + (try writer.condition(predicate)) + ")")
        }
        return conditions
    }

    private static func order(
        by sorts: [ResolvedSort], of rows: ResolvedRows?, isWindow: Bool, isCount: Bool,
        _ writer: inout PredicateSQL
    ) throws(FetchPredicateError) -> String {
        guard !isCount, isWindow || !sorts.isEmpty else { return "" }
        var terms: [String] = []
        for sort in sorts {
            let term = try writer.operand(sort.operand, sort.options)
            terms.append(term + (sort.isAscending ? "" : " DESC"))
        }
        terms +=
            try rows.map { rows throws(FetchPredicateError) in try writer.order(of: rows) }
            ?? ["t0.ab_pk"]
        return terms.isEmpty ? "" : " ORDER BY " + terms.joined(separator: ", ")
    }
}
