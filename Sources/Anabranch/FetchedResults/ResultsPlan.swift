import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// A fetched results request that was checked against the model: membership, order, sections and
/// dependencies.
struct ResultsPlan {
    let fetch: FetchPlan
    /// How objects get the names of their sections; `nil` without sections.
    let naming: SectionNaming?
    let sectionNameKeyPath: String?
    /// The paths to related objects that decide about membership and order.
    let dependencies: [RelationshipDependency]
    let batchSize: Int
    let prefetched: [String]
    let firesFaults: Bool

    /// - Parameters:
    ///   - sectionName: Returns the name of an object's section; `nil` if the key path does.
    ///   - sorts: The sorts to use instead of those of the request; `nil` for none.
    /// - Throws: ``FetchedResultsError``, and the errors of a fetch of the request.
    init<Object>(
        _ request: FetchRequest<Object>, sectionNameKeyPath: String?,
        sectionName: ((Object) -> String?)? = nil, in context: ManagedObjectContext,
        sortedBy sorts: [ResolvedSort]? = nil
    ) throws {
        var request = request
        guard !request.sorts.isEmpty else {
            throw FetchedResultsError(
                code: .missingSort,
                message: "Can't fetch results of \(request.entityName) because the request has "
                    + "no sort; add one.", entity: request.entityName, keyPath: nil)
        }
        self.sectionNameKeyPath = sectionNameKeyPath
        naming = try SectionNaming(
            sectionNameKeyPath, sectionName, of: &request,
            context.entity(named: request.entityName))
        var fetch = try FetchPlan(request, in: context)
        if let sorts { fetch.sorts = sorts }
        self.fetch = fetch
        dependencies = RelationshipDependency.all(of: fetch.predicate, fetch.sorts)
        batchSize = naming?.name == nil ? max(request.fetchBatchSize, 0) : 0
        prefetched = request.relationshipKeyPathsForPrefetching
        firesFaults = !request.returnsObjectsAsFaults
    }

    var makesObjects: Bool { batchSize == 0 }
    /// The number of records, from the first on, that the window depends on; `nil` for all.
    var windowEnd: Int? { fetch.limit.map { fetch.offset + $0 } }

    /// Returns the range of `count` ordered records that is the result.
    func window(of count: Int) -> Range<Int> {
        let start = min(fetch.offset, count)
        return start..<min(windowEnd ?? count, count)
    }
}

// Order.
extension ResultsPlan {
    /// Returns true if the left entry comes first: by the keys, then by ID, as the store sorts.
    func areInOrder(_ left: ResultEntry, _ right: ResultEntry) -> Bool {
        switch order(left.keys, right.keys) {
        case .less: true
        case .greater: false
        case .equal: left.id < right.id
        }
    }

    /// Compares two lists of keys, up to the length of the shorter one.
    func order(_ left: [PropertyValue], _ right: [PropertyValue]) -> ValueOrder.Result {
        for (index, sort) in fetch.sorts.prefix(min(left.count, right.count)).enumerated() {
            let order = sort.order(ofKeys: left[index], right[index])
            if order != .equal { return order }
        }
        return .equal
    }

    /// - Parameter relevance: The relevance of the object to a search.
    func keys(of object: ManagedObject, relevance: PropertyValue) throws -> [PropertyValue] {
        try fetch.sorts.map { try $0.isRelevance ? relevance : $0.key(of: object) }
    }

    /// The sort by relevance. Every change of an object can then move any other one.
    var ranking: ResolvedSort? { fetch.sorts.first(where: \.isRelevance) }

    /// The index of the sort key that decides an object's section; `nil` without sections.
    var sectionKey: Int? { naming?.key }

    /// Returns the keys that decide the place of an entry's section.
    func sectionKeys(of entry: ResultEntry) -> [PropertyValue] {
        sectionKey.map { Array(entry.keys[...$0]) } ?? []
    }

    func sectionName(of entry: ResultEntry) -> String {
        entry.sectionName ?? sectionKey.map { SectionName.of(entry.keys[$0]) } ?? ""
    }
}
