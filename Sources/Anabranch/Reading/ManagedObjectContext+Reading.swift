import AnabranchModel
import AnabranchStore

/// Where a context reads what it does not have, and where its saves go.
enum ContextSource {
    case store
    /// A context above: it shows its unsaved changes to this one, and takes over this one's.
    case parent(HeldContext)
}

// Everything that a context reads, it reads through here.
extension ManagedObjectContext {
    /// Reads rows by ID, in one go; those that are not there give none.
    func readRows(
        of entity: EntityDescription, ids: [LocalID], _ body: (ObjectRow) -> Void
    ) throws {
        switch source {
        case .store:
            try readStore { reader in
                try reader.rows(of: entity, ids: ids) { body(.stored($0)) }
            }
        case .parent(let parent):
            let rows = try parent.onQueue { try $0.lentRows(of: entity, ids: ids) }
            withExtendedLifetime(rows) {
                for row in rows { body(.lent(.passUnretained(row))) }
            }
        }
    }

    /// Reads the rows that a query finds, in its order.
    ///
    /// - Parameter includingPending: Whether what the context above has not saved counts.
    func readRows(
        _ query: FetchQuery, includingPending: Bool, _ body: (ObjectRow) throws -> Void
    ) throws {
        switch source {
        case .store:
            try readStore { reader in try reader.rows(query) { try body(.stored($0)) } }
        case .parent(let parent):
            let rows = try parent.onQueue {
                try $0.lentRows(query, includingPending: includingPending)
            }
            try withExtendedLifetime(rows) {
                for row in rows { try body(.lent(.passUnretained(row))) }
            }
        }
    }

    /// As ``readRows(_:includingPending:_:)``, of each only which it is.
    func readObjects(
        _ query: FetchQuery, includingPending: Bool,
        _ body: (_ entityIndex: Int, LocalID) -> Void
    ) throws {
        switch source {
        case .store: try readStore { try $0.forEachObject(query, body) }
        case .parent(let parent):
            let ids = try parent.onQueue {
                try $0.lentIDs(query, includingPending: includingPending)
            }
            for id in ids { body(id.entity.index, id.localID) }
        }
    }

    func readCount(_ query: FetchQuery, includingPending: Bool) throws -> Int {
        switch source {
        case .store: try readStore { try $0.count(query) }
        case .parent(let parent):
            try parent.onQueue { try $0.lentCount(query, includingPending: includingPending) }
        }
    }

    /// What objects are related to by a to-many, or a to-one that the inverse stores.
    ///
    /// - Returns: By owner; of a list in its order.
    func readRelated(
        by relationship: RelationshipDescription, of owners: [LocalID]
    ) throws -> [LocalID: [LocalID]] {
        switch source {
        case .store:
            var related: [LocalID: [LocalID]] = [:]
            try readStore { reader in
                for item in try reader.related(by: relationship, of: owners) {
                    related[item.owner, default: []].append(item.id)
                }
            }
            return related
        case .parent(let parent):
            return try parent.onQueue { try $0.lentRelated(by: relationship, of: owners) }
        }
    }

    /// Runs a body on the context's queue, and waits for it.
    func onQueue<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        try queue.sync { try body(self) }
    }
}
