import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// A request that was checked against the model.
struct FetchPlan {
    let entity: EntityDescription
    let predicate: ResolvedPredicate?
    let sorts: [ResolvedSort]
    let includesSubentities: Bool
    let limit: Int?
    let offset: Int

    /// More than any store has: limit and offset can be added up.
    private static let mostRows = 1 << 48

    init<Object>(_ request: FetchRequest<Object>, in context: ManagedObjectContext) throws {
        let entity = try context.entity(named: request.entityName)
        let type = context.coordinator.plans.plans[entity.index].type
        guard type is Object.Type else {
            throw PropertyError(
                .classMismatch,
                "Can't fetch \(entity.name) as \(Object.self) because its class "
                    + "is \(type).", entity: entity.name)
        }
        self.entity = entity
        predicate = try request.predicate?.resolved(for: entity, variables: request.variables)
        sorts = try request.sorts.map { try $0.resolved(for: entity) }
        includesSubentities = request.includesSubentities
        limit = request.fetchLimit > 0 ? min(request.fetchLimit, Self.mostRows) : nil
        offset = min(max(request.fetchOffset, 0), Self.mostRows)
    }

    /// What a context below has checked.
    init(_ query: FetchQuery) {
        entity = query.entity
        predicate = query.predicate
        sorts = query.sorts
        includesSubentities = query.includesSubentities
        limit = query.limit
        offset = query.offset
    }

    func includes(_ entity: EntityDescription) -> Bool {
        includesSubentities ? entity.isKind(of: self.entity) : entity == self.entity
    }

    func matches(_ object: ManagedObject) throws -> Bool {
        guard let predicate else { return true }
        return try predicate.evaluate(with: object)
    }

    /// Whether one object comes before another; by ID where no key tells.
    func areInOrder(_ left: ManagedObject, _ right: ManagedObject) throws -> Bool {
        for sort in sorts {
            switch try sort.order(left, right) {
            case .less: return true
            case .greater: return false
            default: continue
            }
        }
        return left.localID < right.localID
    }

    func window<Element>(_ elements: [Element]) -> [Element] {
        let rest = elements.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    /// Whether the order of IDs decides where there are no sorts.
    var isWindow: Bool { limit != nil || offset > 0 }

    /// - Returns: `nil` for all, in any order.
    private func mostRows(withExtra count: Int) -> Int? {
        guard isWindow else { return nil }
        let (rows, isMore) = (limit ?? Int.max).addingReportingOverflow(
            min(offset, 1 << 60) + count)
        return isMore ? Int.max : rows
    }

    /// - Parameter extraRows: `nil` asks for the window itself; otherwise for everything that the
    ///   window may hold once so many rows have been taken away.
    func query(extraRows: Int? = nil) -> FetchQuery {
        var query = FetchQuery(entity: entity)
        query.includesSubentities = includesSubentities
        query.predicate = predicate
        query.sorts = sorts
        query.limit = extraRows.map(mostRows) ?? limit
        query.offset = extraRows == nil ? offset : 0
        return query
    }
}
