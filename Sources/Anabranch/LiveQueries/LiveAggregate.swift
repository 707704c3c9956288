import AnabranchModel
import AnabranchReplication

/// A value that is computed from all objects of a result, and follows its changes.
///
/// The result is sorted by the values, so its ends are the least and the greatest one, and the
/// entries that come and go have the values that were added and removed.
final class LiveAggregate: LiveSource {
    private let query: LiveQuery
    private let signal: ChangeSignal
    private let reduction: ValueReduction
    private let isDistinct: Bool
    private let isDecimal: Bool
    /// The number and the sum of the values so far; `nil` if they have to be computed anew.
    private var running: RunningSum?

    init<Object>(
        _ column: FetchColumn, over request: FetchRequest<Object>,
        in context: ManagedObjectContext, _ signal: ChangeSignal
    ) throws {
        guard request.fetchLimit <= 0, request.fetchOffset <= 0 else {
            throw Self.refusal(column, request, "the request has a limit or an offset")
        }
        let entity = try context.entity(named: request.entityName)
        let rows = try RowsDescription(
            columns: [column], groups: [], having: nil, sorts: [], isDistinct: false
        ).resolved(for: entity)
        guard
            case .aggregate(let reduction, let operand, let isDistinct, _) =
                rows.columns[0].operand
        else {
            throw Self.refusal(
                column, request, "it is not a single function of a group, such as a sum")
        }
        self.reduction = reduction
        self.isDistinct = isDistinct
        self.signal = signal
        isDecimal = operand.type == .decimal
        var request = request
        request.sorts = [FetchSort("SELF")]
        if request.fetchBatchSize < 1 { request.fetchBatchSize = 100 }
        query = try .shared(request.predicate, in: context) { [request, unowned context] in
            try ResultsPlan(
                request, sectionNameKeyPath: nil, in: context, sortedBy: [ResolvedSort(operand)])
        }
        query.add(self)
    }

    private static func refusal<Object>(
        _ column: FetchColumn, _ request: FetchRequest<Object>, _ reason: String
    ) -> FetchPredicateError {
        FetchPredicateError(
            .notEvaluable, entity: request.entityName, key: column.name,
            "Can't follow '\(column.name)' because \(reason); fetch it as a column of rows.")
    }

    func value(isolation: isolated (any Actor)?) async throws -> PropertyValue {
        query.context.checkQueue()
        let state = try query.state()
        switch reduction {
        case .count where !isDistinct, .sum, .average:
            let running = self.running ?? RunningSum(state.entries.lazy.map { $0.keys[0] })
            self.running = running
            if let result = running.result(of: reduction, isDecimal: isDecimal) { return result }
        case .minimum:
            let first = state.entries.partition { !$0.keys[0].isNull }
            return first < state.entries.count ? state.entries[first].keys[0] : .null
        case .maximum:
            return state.entries.isEmpty ? .null : state.entries[state.entries.count - 1].keys[0]
        default: break
        }
        let values = state.entries.map { $0.keys[0] }
        guard isDistinct else { return reduction(values, isDecimal: isDecimal) }
        return .integer(Int64(Set(values.lazy.filter { !$0.isNull }).count))
    }
}

extension LiveAggregate: LiveQuery.Listener {
    func resultDidChange(_ update: ResultsUpdate) {
        for change in update.deleted + update.moved + update.updated {
            guard let old = change.old else { continue }
            running?.remove(update.old.entry(at: old).keys[0])
        }
        for change in update.inserted + update.moved + update.updated {
            running?.add(change.entry.keys[0])
        }
        signal.raise()
    }

    func resultDidEnd() {
        running = nil
        signal.raise()
    }
}
