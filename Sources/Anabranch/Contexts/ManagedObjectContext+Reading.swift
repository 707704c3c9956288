import AnabranchModel
import AnabranchStore

/// The source of a context's reads, and the destination of its saves.
enum ContextSource {
    case store
    /// A parent context, which shows its unsaved changes to this one and receives this one's
    /// changes.
    case parent(HeldContext)
}

/// The members of a relationship of several objects.
struct RelatedMembers {
    /// The members by owner, for an ordered relationship in its order.
    var members: [LocalID: [LocalID]] = [:]
    /// For a relationship that is stored as links, the state of the store that was read; `nil` if
    /// a parent context was read.
    fileprivate(set) var version: RowVersion?
    /// What a parent context has seen of the links, by owner.
    var lentLinks: [LocalID: SeenLinks] = [:]

    /// What has been seen of an owner's links by the reading; `nil` if it is not known.
    func seenLinks(of owner: LocalID) -> SeenLinks? {
        version.map { SeenLinks($0) } ?? lentLinks[owner]
    }
}

// Every read of a context goes through these methods.
extension ManagedObjectContext {
    /// Reads rows by ID in one query; a missing row is left out.
    func readRows(
        of entity: EntityDescription, ids: [LocalID], _ body: (ObjectRow) -> Void
    ) throws {
        switch source {
        case .store:
            try readStore(isOneStatement: true) { reader in
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
    /// - Parameter includingPending: True if unsaved changes of the parent context count.
    @inline(__always)
    func readRows(
        _ query: FetchQuery, includingPending: Bool, _ body: (ObjectRow) throws -> Void
    ) throws {
        switch source {
        case .store:
            try readStore(isOneStatement: true) { reader in
                try reader.rows(query) { try body(.stored($0)) }
            }
        case .parent(let parent):
            let rows = try parent.onQueue {
                try $0.lentRows(query, includingPending: includingPending)
            }
            try withExtendedLifetime(rows) {
                for row in rows { try body(.lent(.passUnretained(row))) }
            }
        }
    }

    /// Reads the IDs of the objects that a query finds; see `readRows(_:includingPending:_:)`.
    func readIDs(_ query: FetchQuery, includingPending: Bool) throws -> [ManagedObjectID] {
        switch source {
        case .store:
            let origin = coordinator.origin
            return try readStore(isOneStatement: true) { reader in
                // An array of known size: growing one takes as long as reading its IDs.
                guard !query.entity.subentities.isEmpty || query.entity.superentity != nil else {
                    let index = query.entity.index
                    return try reader.identifiers(query).map {
                        ManagedObjectID(origin: origin, entityIndex: index, localID: $0)
                    }
                }
                var ids: [ManagedObjectID] = []
                try reader.forEachObject(query) { index, id in
                    ids.append(ManagedObjectID(origin: origin, entityIndex: index, localID: id))
                }
                return ids
            }
        case .parent(let parent):
            return try parent.onQueue {
                try $0.lentIDs(query, includingPending: includingPending)
            }
        }
    }

    func readCount(_ query: FetchQuery, includingPending: Bool) throws -> Int {
        switch source {
        case .store: try readStore(isOneStatement: true) { try $0.count(query) }
        case .parent(let parent):
            try parent.onQueue { try $0.lentCount(query, includingPending: includingPending) }
        }
    }

    /// Reads the members of a to-many relationship, or of a to-one relationship that its inverse
    /// stores.
    ///
    /// A transient relationship has none, because each context has its own.
    ///
    /// - Parameter rows: Gets the rows of the members, if they are read together with the
    ///   relationship.
    func readRelated(
        by relationship: RelationshipDescription, of owners: [LocalID],
        rows: ((ObjectRow) -> Void)? = nil
    ) throws -> RelatedMembers {
        guard !relationship.isTransient else { return RelatedMembers() }
        switch source {
        case .store:
            var related = RelatedMembers()
            let isOfLinks = if case .links = relationship.storage { true } else { false }
            // The positions of a list may be equal, which takes another read.
            try readStore(isOneStatement: !isOfLinks && !relationship.isOrdered) { reader in
                let body = rows.map { rows in { (row: StoredRow) in rows(.stored(row)) } }
                let found = try reader.related(by: relationship, of: owners, rows: body)
                // The objects of one owner are together.
                var rest = found[...]
                while let owner = rest.first?.owner {
                    let ids = rest.prefix { $0.owner == owner }.map { $0.id }
                    related.members[owner] = ids
                    rest = rest.dropFirst(ids.count)
                }
                if isOfLinks { related.version = try reader.lastPosition() }
            }
            return related
        case .parent(let parent):
            return try parent.onQueue { try $0.lentRelated(by: relationship, of: owners) }
        }
    }

    /// Runs a closure on the context's queue and waits for it.
    func onQueue<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        try queue.sync { try body(self) }
    }
}
