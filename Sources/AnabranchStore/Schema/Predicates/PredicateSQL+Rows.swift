import AnabranchModel
import AnabranchReplication

// The columns of requests for values, and values that are computed over groups of rows.

extension PredicateSQL {
    /// The columns of a SELECT. An object has two if its table has rows of several entities.
    mutating func columns(of rows: ResolvedRows) throws(FetchPredicateError) -> String {
        var terms: [String] = []
        for column in rows.columns {
            terms.append(try operand(column.operand, []))
            if case .record(let path) = column.operand, hasEntityNumber(column) {
                terms.append(try alias(of: path) + ".ab_entity")
            }
        }
        return terms.joined(separator: ", ")
    }

    private func hasEntityNumber(_ column: ResolvedRows.Column) -> Bool {
        column.entity.map { naming.entityNumbers(for: $0, includingSubentities: true) != nil }
            ?? false
    }

    /// The GROUP BY and HAVING of a SELECT.
    mutating func grouping(of rows: ResolvedRows) throws(FetchPredicateError) -> String {
        var text = ""
        if !rows.groups.isEmpty {
            var terms: [String] = []
            for group in rows.groups { terms.append(try operand(group, [])) }
            text = " GROUP BY " + terms.joined(separator: ", ")
        }
        if let having = rows.having { text += " HAVING " + (try condition(having)) }
        return text
    }

    /// The terms that put rows with equal sort keys in order.
    mutating func order(of rows: ResolvedRows) throws(FetchPredicateError) -> [String] {
        if rows.isDistinct {
            let count = rows.columns.reduce(0) { $0 + (hasEntityNumber($1) ? 2 : 1) }
            return (0..<count).map { String($0 + 1) }
        }
        guard rows.isGrouped else { return ["t0.ab_pk"] }
        var terms: [String] = []
        for group in rows.groups { terms.append(try operand(group, [])) }
        return terms
    }

    mutating func aggregate(
        _ reduction: ValueReduction, _ operand: ResolvedOperand, isDistinct: Bool
    ) throws(FetchPredicateError) -> String {
        if let plain = try plainAggregate(reduction, operand) { return plain }
        let distinct = isDistinct ? "DISTINCT " : ""
        return try nested(.function) { writer throws(FetchPredicateError) in
            try writer.reduction(
                reduction, of: writer.operand(operand, []), type: operand.type, distinct)
        }
    }

    /// SQLite's own functions, where they are exact: the sum of integers has no bound, and is
    /// therefore that of the upper and the lower halves.
    private mutating func plainAggregate(
        _ reduction: ValueReduction, _ operand: ResolvedOperand
    ) throws(FetchPredicateError) -> String? {
        guard reduction == .sum || reduction == .average, case .attribute = operand,
            operand.isPlainInteger
        else { return nil }
        let value = try self.operand(operand, [])
        let halves = "sum(\(value) >> 32), sum(\(value) & 4294967295)"
        return reduction == .sum
            ? "ab_sum_of_halves(\(halves))" : "ab_average_of_halves(\(halves), count(\(value)))"
    }
}
