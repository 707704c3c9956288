import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Reads the entries of a result: from the store, with a context's unsaved changes on top.
///
/// An object with unsaved changes is evaluated in memory, and so is every object from which the
/// request reaches such an object. The store evaluates all others. Unsaved changes of parent
/// contexts count in the same way, as this context shows them.
struct ResultsReader {
    let context: ManagedObjectContext
    let plan: ResultsPlan

    /// A result that was read from its beginning on.
    struct Whole {
        var entries: [ResultEntry]
        /// The last entry that was read, if the store has more; otherwise `nil`.
        var horizon: ResultEntry?
        /// True if the result depends on no unsaved change.
        var isStored: Bool
    }

    private static let spareRows = 64

    /// Returns all matching entries. For a request with a limit, it returns the first ones up to
    /// the window's end and some more. Without unsaved changes this is one SELECT.
    func whole() throws -> Whole {
        let unsaved = try idsJudgedInMemory()
        var query = plan.fetch.query()
        query.offset = 0
        query.limit = plan.windowEnd.map { $0 + unsaved.count + Self.spareRows }
        var (entries, rowCount) = try entries(found: query)
        entries.removeAll { unsaved.contains($0.id) }
        let horizon = query.limit.map { rowCount >= $0 } == true ? entries.last : nil
        var own = try self.entries(of: try objects(unsaved.sorted()))
        if let horizon { own.removeAll { plan.areInOrder(horizon, $0) } }
        return Whole(
            entries: plan.named(merge(own.sorted(by: plan.areInOrder), into: entries)),
            horizon: horizon, isStored: unsaved.isEmpty)
    }

    /// Returns those of some records that match, by ID. It uses at most one SELECT for all records
    /// without values in the context, and one more if relationships lead to unsaved objects.
    func entries(among ids: some Sequence<LocalID>) throws -> [LocalID: ResultEntry] {
        // An object at the other end of a relationship may have unsaved changes.
        let judgesInMemory = !plan.dependencies.isEmpty && context.hasChanges
        let canJudge = judgesInMemory || plan.dependencies.isEmpty
        var objects: [ManagedObject] = []
        var asked: [LocalID] = []
        for id in ids {
            if let object = context.held(id), object.hasChanges || object.flags.contains(.hasRow),
                object.hasChanges || canJudge
            {
                objects.append(object)
            } else {
                asked.append(id)
            }
        }
        var found: [LocalID: ResultEntry] = [:]
        if judgesInMemory {
            objects += try context.objects(asked, of: plan.fetch.entity)
        } else if !asked.isEmpty {
            var query = plan.fetch.query()
            (query.limit, query.offset) = (nil, 0)
            try read(query, among: asked.sorted()) { found[$0.id] = $0 }
        }
        for entry in try entries(of: objects) { found[entry.id] = entry }
        if plan.naming?.name != nil { _ = plan.named(Array(found.values)) }
        return found
    }

    /// Returns the entries of known records in a known order, with one SELECT for the objects.
    ///
    /// - Returns: `nil` if a record does not exist.
    func restored(_ entries: [ResultEntry]) throws -> [ResultEntry]? {
        guard plan.makesObjects else { return entries }
        let objects = try context.objects(listed: entries.map(\.id), of: plan.fetch.entity)
        guard objects.count == entries.count else { return nil }
        return zip(entries, objects).map { entry, object in
            ResultEntry(
                id: entry.id, entityIndex: entry.entityIndex, keys: entry.keys, object: object,
                version: object.version)
        }
    }
}

extension ResultsReader {
    /// Returns the matches in the store or in the parent context, in order, and the number of
    /// rows.
    private func entries(
        found query: FetchQuery
    ) throws -> (entries: [ResultEntry], rowCount: Int) {
        if context.parent != nil {
            // The parent may show older values of a child's objects, in the order of the newer
            // ones.
            let objects = try objectsAbove(query, among: nil)
            return (try ranked(objects).sorted(by: plan.areInOrder), objects.count)
        }
        var entries: [ResultEntry] = []
        try read(query, among: nil) { entries.append($0) }
        return (entries, entries.count)
    }

    private func read(
        _ query: FetchQuery, among ids: [LocalID]?, _ body: (ResultEntry) -> Void
    ) throws {
        guard context.parent == nil else {
            return try entries(of: objectsAbove(query, among: ids)).forEach(body)
        }
        var forgotten: [ManagedObject] = []
        try context.readStore { reader in
            guard plan.makesObjects else {
                return try reader.keyedObjects(query, among: ids) { entity, id, version, keys in
                    body(ResultEntry(id: id, entityIndex: entity, keys: keys, version: version))
                }
            }
            try reader.keyedRows(query, among: ids) { row, keys in
                let object = context.object(
                    of: .stored(row), refreshing: false, forgotten: &forgotten)
                body(
                    ResultEntry(
                        id: row.id, entityIndex: Int(row.entityIndex), keys: keys,
                        object: object, version: object.version,
                        isEdited: object.differsFromRow))
            }
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Returns the objects that the parent context shows, including its unsaved changes.
    private func objectsAbove(
        _ query: FetchQuery, among ids: [LocalID]?
    ) throws -> [ManagedObject] {
        if let ids { return try context.objects(ids, of: plan.fetch.entity) }
        return try context.objects { take in
            try context.readRows(query, includingPending: true, take)
        }
    }

    /// Returns the entries of those objects that match, of which each is as relevant to a search as
    /// its place among them says.
    private func ranked(_ objects: [ManagedObject]) throws -> [ResultEntry] {
        guard let ranking = plan.ranking else { return try entries(of: objects) }
        return try objects.enumerated().flatMap { place, object in
            try entries(
                of: [object], relevance: .double(Double(ranking.isAscending ? place : -place)))
        }
    }

    /// Returns the entries of those objects that match.
    private func entries(
        of objects: [ManagedObject], relevance: PropertyValue = FetchPlan.unsavedRelevance
    ) throws -> [ResultEntry] {
        try objects.compactMap { object in
            guard !object.isDeleted, plan.fetch.includes(object.entity) else { return nil }
            do {
                return try plan.fetch.matches(object)
                    ? try entry(of: object, relevance) : nil
            } catch let error as PropertyError where error.code == .inaccessible {
                // The row turned out to be gone.
                guard object.isDeleted else { throw error }
                return nil
            }
        }
    }

    private func entry(of object: ManagedObject, _ relevance: PropertyValue) throws -> ResultEntry {
        ResultEntry(
            id: object.localID, entityIndex: object.entity.index,
            keys: try plan.keys(of: object, relevance: relevance),
            object: plan.makesObjects ? object : nil,
            version: object.version, isEdited: object.differsFromRow)
    }

    /// Returns objects with their present values if the context has them or has changed them, and
    /// reads the others.
    private func objects(_ ids: [LocalID]) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        var others: [LocalID] = []
        for id in ids {
            if let object = context.held(id), object.hasChanges || object.flags.contains(.hasRow) {
                objects.append(object)
            } else {
                others.append(id)
            }
        }
        return objects + (try context.objects(others, of: plan.fetch.entity))
    }

    /// Returns the records for which the answer of the store or the parent context does not count.
    /// Both evaluate like a plain fetch, which does not see the unsaved attributes of related
    /// objects.
    private func idsJudgedInMemory() throws -> Set<LocalID> {
        var ids = try idsUnsettledAbove()
        guard context.hasChanges else { return ids }
        let pending = context.pending
        ids.formUnion(pending.lazy.filter { plan.fetch.includes($0.entity) }.map(\.localID))
        for dependency in plan.dependencies {
            let ends = pending.filter {
                $0.entity.isKind(of: dependency.destination) && dependency.isConcerned(by: $0)
            }
            let trace = DependencyTrace(context: context, dependency: dependency)
            ids.formUnion(try trace.beginnings(of: Set(ends.map(\.localID))))
        }
        return ids
    }

    /// Returns the same records for all parent contexts, each of which starts from its own
    /// changes.
    private func idsUnsettledAbove() throws -> Set<LocalID> {
        guard case .parent(let parent) = context.source else { return [] }
        return try parent.onQueue { above in
            try ResultsReader(context: above, plan: plan).idsJudgedInMemory()
        }
    }

    private func merge(_ own: [ResultEntry], into stored: [ResultEntry]) -> [ResultEntry] {
        guard !own.isEmpty else { return stored }
        var merged: [ResultEntry] = []
        merged.reserveCapacity(stored.count + own.count)
        var rest = own[...]
        for entry in stored {
            while let next = rest.first, plan.areInOrder(next, entry) {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(entry)
        }
        return merged + rest
    }
}
