import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Finds what belongs to a result: in the store, with what a context has not saved yet on top.
///
/// An object with unsaved changes is judged by its values in memory, and so is every object that
/// the request looks at such an object from. All others are judged by the store. What contexts
/// above have not saved counts alike, as this one shows it.
struct ResultsReader {
    let context: ManagedObjectContext
    let plan: ResultsPlan

    /// What was read of a result from its beginning on.
    struct Whole {
        var entries: [ResultEntry]
        /// The last one that was read, where there are more; else `nil`.
        var horizon: ResultEntry?
        /// Whether nothing unsaved had a part in it.
        var isStored: Bool
    }

    private static let spareRows = 64

    /// Everything that matches; of a request with a limit, the first ones up to the window's end
    /// and some more. One SELECT where nothing is unsaved.
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
            entries: merge(own.sorted(by: plan.areInOrder), into: entries), horizon: horizon,
            isStored: unsaved.isEmpty)
    }

    /// Those of some records that match, by ID; at most one SELECT for all that the context has
    /// no values of, and one more where relationships lead to unsaved objects.
    func entries(among ids: some Sequence<LocalID>) throws -> [LocalID: ResultEntry] {
        // Somebody at the other end of a relationship may be unsaved.
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
        return found
    }

    /// The entries of known records in an order that is known: one SELECT for the objects.
    ///
    /// - Returns: `nil` where a record is not there.
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
    /// What the store or the context above finds, in the order of the entries, and how many rows
    /// that were.
    private func entries(
        found query: FetchQuery
    ) throws -> (entries: [ResultEntry], rowCount: Int) {
        if context.parent != nil {
            // The context above may show others' older values in the order of the newer ones.
            let objects = try objectsAbove(query, among: nil)
            return (try entries(of: objects).sorted(by: plan.areInOrder), objects.count)
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
                    body(
                        ResultEntry(id: id, entityIndex: entity, keys: keys, version: version))
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

    /// What the context above shows, its unsaved changes included.
    private func objectsAbove(
        _ query: FetchQuery, among ids: [LocalID]?
    ) throws -> [ManagedObject] {
        if let ids { return try context.objects(ids, of: plan.fetch.entity) }
        var objects: [ManagedObject] = []
        try context.readRows(query, includingPending: true) { row in
            objects.append(context.object(of: row))
        }
        return objects
    }

    /// Of objects, those that match.
    private func entries(of objects: [ManagedObject]) throws -> [ResultEntry] {
        try objects.compactMap { object in
            guard !object.isDeleted, plan.fetch.includes(object.entity) else { return nil }
            do {
                return try plan.fetch.matches(object) ? try entry(of: object) : nil
            } catch let error as PropertyError where error.code == .inaccessible {
                // Its row turned out to be gone.
                guard object.isDeleted else { throw error }
                return nil
            }
        }
    }

    private func entry(of object: ManagedObject) throws -> ResultEntry {
        ResultEntry(
            id: object.localID, entityIndex: object.entity.index,
            keys: try plan.keys(of: object), object: plan.makesObjects ? object : nil,
            version: object.version, isEdited: object.differsFromRow)
    }

    /// Those that the context has values of, or has changed, as they are, others by their rows.
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

    /// Records of which the answer of the store, or of the context above, does not count: that one
    /// does as a plain fetch, which leaves related objects' unsaved attributes to the store.
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

    /// The same of all contexts above, each of which goes back from what it has changed itself.
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
