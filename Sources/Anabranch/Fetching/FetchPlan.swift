import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// A fetch request that was checked against the model.
struct FetchPlan: Equatable {
    let entity: EntityDescription
    let predicate: ResolvedPredicate?
    var sorts: [ResolvedSort]
    let includesSubentities: Bool
    let limit: Int?
    let offset: Int

    /// A number greater than the row count of any store, small enough for limit and offset to be
    /// added.
    private static let maximumRows = 1 << 48

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
        predicate = try context.withResultsOfFetches(in: request.predicate)?
            .resolved(for: entity, variables: request.variables)
        sorts = try request.sorts.map { try $0.resolved(for: entity) }
        includesSubentities = request.includesSubentities
        limit = request.fetchLimit > 0 ? min(request.fetchLimit, Self.maximumRows) : nil
        offset = min(max(request.fetchOffset, 0), Self.maximumRows)
    }

    /// Creates a plan from a child context's query, which the child has checked.
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

    /// Returns true if the left object comes first: by the sorts, then by ID.
    ///
    /// - Parameter relevances: The relevance of the two to a search, which no object in memory has
    ///   by itself.
    func areInOrder(
        _ left: ManagedObject, _ right: ManagedObject, relevances: (PropertyValue, PropertyValue)
    ) throws -> Bool {
        for sort in sorts {
            let order =
                try sort.isRelevance
                ? sort.order(ofKeys: relevances.0, relevances.1) : sort.order(left, right)
            switch order {
            case .less: return true
            case .greater: return false
            default: continue
            }
        }
        return left.localID < right.localID
    }

    /// The relevance of an object with unsaved changes: a search in the store does not know its
    /// texts, and so it counts as more relevant than all others.
    static let unsavedRelevance = PropertyValue.double(.infinity)
    /// A relevance below that of all objects with unsaved changes.
    static let savedRelevance = PropertyValue.double(0)

    func window<Element>(_ elements: [Element]) -> [Element] {
        let rest = elements.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    /// True if there is a limit or an offset. Without sorts, such a request is ordered by ID.
    var isWindow: Bool { limit != nil || offset > 0 }

    /// - Returns: `nil` for all rows, in any order.
    private func maximumRows(withExtra count: Int) -> Int? {
        guard isWindow else { return nil }
        let (rows, isMore) = (limit ?? Int.max).addingReportingOverflow(
            min(offset, 1 << 60) + count)
        return isMore ? Int.max : rows
    }

    /// - Parameter extraRows: `nil` requests the window itself. A number requests all rows that
    ///   the window can contain after that many rows have been removed.
    func query(extraRows: Int? = nil) -> FetchQuery {
        var query = FetchQuery(entity: entity)
        query.includesSubentities = includesSubentities
        query.predicate = predicate
        query.sorts = sorts
        query.limit = extraRows.map(maximumRows) ?? limit
        query.offset = extraRows == nil ? offset : 0
        return query
    }
}
