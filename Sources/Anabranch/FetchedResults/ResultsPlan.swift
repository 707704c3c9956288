import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// A request for results that was checked against the model: what belongs to them, in which
/// order, in which sections, and what else it depends on.
struct ResultsPlan {
    let fetch: FetchPlan
    /// The place of the sort whose key names an object's section; `nil` without sections.
    let sectionKey: Int?
    /// Other objects that decide about membership and order.
    let dependencies: [RelationshipDependency]
    let batchSize: Int
    let prefetched: [String]
    let realises: Bool

    /// - Throws: ``FetchedResultsError``; and as a fetch of the request.
    init<Object>(
        _ request: FetchRequest<Object>, sectionNameKeyPath: String?,
        in context: ManagedObjectContext
    ) throws {
        var request = request
        if let path = sectionNameKeyPath {
            guard let sort = request.sorts.first, sort.keyPath == path else {
                throw FetchedResultsError(
                    code: .unsortedSections,
                    message: "Can't make sections of \(request.entityName) by '\(path)' because "
                        + "the request does not sort by it first.", entity: request.entityName,
                    keyPath: path)
            }
            // Names that the options take for equal would stand mixed.
            if !sort.options.isEmpty {
                request.sorts.insert(FetchSort(path, ascending: sort.isAscending), at: 1)
            }
            sectionKey = sort.options.isEmpty ? 0 : 1
        } else {
            sectionKey = nil
        }
        guard !request.sorts.isEmpty else {
            throw FetchedResultsError(
                code: .missingSort,
                message: "Can't fetch results of \(request.entityName) because the request has "
                    + "no sort.", entity: request.entityName, keyPath: nil)
        }
        fetch = try FetchPlan(request, in: context)
        dependencies = RelationshipDependency.all(of: fetch.predicate, fetch.sorts)
        batchSize = max(request.fetchBatchSize, 0)
        prefetched = request.relationshipsForPrefetching
        realises = !request.returnsObjectsAsFaults
    }

    var makesObjects: Bool { batchSize == 0 }
    /// How many records, from the first on, decide about the window; `nil` for all.
    var windowEnd: Int? { fetch.limit.map { fetch.offset + $0 } }

    /// Of `count` records in order, those that are the result.
    func window(of count: Int) -> Range<Int> {
        let start = min(fetch.offset, count)
        return start..<min(windowEnd ?? count, count)
    }
}

// Order.
extension ResultsPlan {
    /// By the keys, and by ID where they do not tell, as the store sorts.
    func areInOrder(_ left: ResultEntry, _ right: ResultEntry) -> Bool {
        switch order(left.keys, right.keys) {
        case .less: true
        case .greater: false
        case .equal: left.id < right.id
        }
    }

    /// By as many keys as both have.
    func order(_ left: [Value], _ right: [Value]) -> ValueOrder.Result {
        for (index, sort) in fetch.sorts.prefix(min(left.count, right.count)).enumerated() {
            let order = sort.order(ofKeys: left[index], right[index])
            if order != .equal { return order }
        }
        return .equal
    }

    func keys(of object: ManagedObject) throws -> [Value] {
        try fetch.sorts.map { try $0.key(of: object) }
    }

    /// The keys that decide where a section stands.
    func sectionKeys(of entry: ResultEntry) -> [Value] {
        sectionKey.map { Array(entry.keys[...$0]) } ?? []
    }

    func sectionName(of entry: ResultEntry) -> String {
        sectionKey.map { SectionName.of(entry.keys[$0]) } ?? ""
    }
}
