import AnabranchModel
import AnabranchReplication

extension NaiveScope {
    /// The objects of a FETCH, or their number.
    func fetch(_ request: FetchExpression, _ count: FetchExpression) throws -> NaiveCell {
        guard case .constant(.fetch(let fetch)) = request.form,
            case .number(.integer(let isCount)) = try cell(count).value
        else { throw NaiveDoubt() }
        let found = try objects(of: fetch)
        if isCount != 0 { return .integer(found.count) }
        return NaiveCell(
            .collection(NaiveElements(cells: found.map { .object($0) }, isOrdered: true)),
            .constant)
    }

    private func objects(of fetch: PredicateFetch) throws -> [Int64] {
        guard let entity = graph.model.entity(named: fetch.entityName) else { throw NaiveDoubt() }
        var found: [(id: Int64, keys: [NaiveCell])] = []
        for subject in graph.subjects(of: entity)
        where fetch.includesSubentities || subject.row.entity == entity {
            let scope = NaiveScope(graph: graph, subject: .object(subject.row.id))
            guard try fetch.predicate.map({ try scope.truth(of: $0) }) ?? true else { continue }
            let keys = try fetch.sorts.map { sort in
                let steps = sort.keyPath.split(separator: ".").map { PathStep.key(String($0)) }
                return try scope.walk(scope.subject, steps[...])
            }
            found.append((subject.row.id, keys))
        }
        try found.sort { left, right in
            for (index, sort) in fetch.sorts.enumerated() {
                let order = try Self.order(left.keys[index], right.keys[index])
                if order != 0 { return sort.isAscending == (order < 0) }
            }
            return left.id < right.id
        }
        let end = fetch.limit == 0 ? found.count : fetch.offset + fetch.limit
        return found.prefix(end).dropFirst(fetch.offset).map(\.id)
    }

    /// Missing values come first.
    private static func order(_ left: NaiveCell, _ right: NaiveCell) throws -> Int {
        if let order = try left.order(right, .none) { return order }
        return (left.isMissing ? 0 : 1) - (right.isMissing ? 0 : 1)
    }
}
