import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// One save within its transaction.
struct SaveOperation: ~Copyable {
    let transaction: StateTransaction
    let replica: ReplicaID
    /// The dot of the change set, if there is one.
    let dot: Dot
    let previousOrigin: Digest
    let timestamp: HybridTimestamp
    /// The position that this change set takes in the log.
    private(set) var position: Int64
    private let log: ChangeLog
    var encoder: ChangePayloadEncoder
    /// The finished parts; the encoder has what follows.
    var parts: [SavePart] = []
    let partLimits: PartLimits
    /// The record with the row that is being written.
    var present: LocalID = 0
    /// The entity of the records that are being written.
    var presentEntity: EntityDescription?
    /// Records that differ from the request's expectation, some more than once.
    private var staleRecords: [LocalID] = []
    /// Records that the request does not name, with their former surviving records.
    var shownBy: [LocalID: LocalID] = [:]
    var lists: SavedListPositions
    /// Records with derived attributes that depend on deleted rows.
    var owners = ChangeCollector()
    /// The values of `SaveRequest.carriedGroups`.
    var carriedGroups: [LocalID: [WireProperty: GroupValue]] = [:]
    /// The values of `SaveRequest.seenVersions`.
    var seenVersions: [LocalID: [Int: RowVersion]] = [:]
    /// The values of `SaveRequest.seenLinks` without those that include the newest state.
    var seenLinks: [LocalID: [Int: SeenLinks]] = [:]
    /// The values that the save discards although its author has not seen them.
    var unseenValues: [UnseenValue] = []
    /// The values that the save deletes and that a view rule has hidden, by record.
    var hiddenWrites: [LocalID: Set<StoredWrite>] = [:]
    /// True while rows are written that are kept in this store only. They are not encoded.
    var isUnsynced = false
    /// The changes that the save has made to these rows.
    var unsyncedChanges: [UnsyncedChange] = []
    /// The positions that the save assigns in these rows' lists.
    var unsyncedLists: SavedListPositions?

    var connection: Connection { transaction.connection }
    var schema: StoreSchema { transaction.schema }
    var deferred: DeferredRows { transaction.deferred }
    var logStamps: LogStamps { transaction.logStamps }
    var ordinal: Int64 { transaction.state.ordinal }
    var stamp: LocalStamp {
        LocalStamp(timestamp: timestamp.rawValue, ordinal: ordinal)
    }

    /// Begins a save.
    ///
    /// - Parameter wallMilliseconds: The time; `nil` is the present one.
    init(_ transaction: StateTransaction, wallMilliseconds: Int64? = nil) throws {
        let replica = try transaction.ownReplica()
        let head = try transaction.head(of: transaction.state.ordinal)
        guard head.sequence < Limits.greatestSequence else {
            throw StoreError(.exhausted, "Can't save because the replica has saved 2^53 times.")
        }
        let wall = wallMilliseconds ?? transaction.wallMilliseconds
        guard let tick = transaction.state.clock.tick(wallMilliseconds: wall) else {
            throw StoreError(
                .exhausted,
                "Can't save because the zone holds a change set of the last time there is. Report "
                    + "it to the server's operator, and sync with a zone without it.")
        }
        let log = transaction.log
        let position = try log.nextPosition()
        (self.log, self.position) = (log, position)
        self.transaction = transaction
        self.replica = replica
        dot = Dot(replica: replica, sequence: head.sequence + 1)
        previousOrigin = head.origin
        timestamp = tick
        encoder = ChangePayloadEncoder(author: replica)
        partLimits = transaction.environment.partLimits
        lists = SavedListPositions(transaction.connection, schema: transaction.schema, dot: dot)
    }

    /// Runs the save of a request, which it divides and renames where it has to.
    mutating func run(_ request: inout SaveRequest) throws -> SaveResult {
        try checkNames(request.author, request.name)
        transaction.isSaving = true
        let renamed = try rename(&request)
        let limit = connection.lengthLimit
        // This limit is below the limits of a zone and of the file, so every saved record can be
        // stored everywhere.
        connection.lengthLimit = partLimits.recordBytes
        defer { connection.lengthLimit = limit }
        do {
            return try run(&request, renamed)
        } catch let error as SQLiteError where error.code == .tooBig {
            throw recordTooLarge([present], error)
        } catch let error as StoreError where !renamed.isEmpty {
            let names = Dictionary(uniqueKeysWithValues: renamed.map { ($1, $0) })
            throw error.renaming(names)
        }
    }

    private mutating func run(
        _ request: inout SaveRequest, _ renamed: [LocalID: LocalID]
    ) throws -> SaveResult {
        for check in request.checks { try compareVersions(check) }
        seenVersions = request.seenVersions
        if !request.seenLinks.isEmpty {
            seenLinks = request.seenLinks.filter { $1.values.contains { lacksLinks($0) } }
        }
        // A save that only inserts discards nothing.
        if !request.updates.isEmpty || !request.deletes.isEmpty { try findHiddenValues(request) }
        let unsynced = takeUnsynced(from: &request)
        for list in request.lists { try lists.place(list) }
        if transaction.hasDuplicates { try spread(&request) }
        carriedGroups = request.carriedGroups
        if seenVersions.isEmpty || request.refusesUnseenValues {
            try write(request)
        } else {
            try write(yielding(request))
        }
        if let unsynced { try writeUnsynced(unsynced) }
        if request.refusesUnseenValues {
            for value in unseenValues where value.isRefusable { addStale(value.write.record) }
        }
        try checkVersions()
        if !schema.constraints.isEmpty {
            var constraints = UniqueKeyCheck(transaction)
            try constraints.check(unsynced.map { request.joined(with: $0) } ?? request)
        }
        return try finish(author: request.author, name: request.name, renamed)
    }

    /// Takes the records that are kept in this store only out of a request.
    ///
    /// - Returns: A request of these records; `nil` if there are none.
    func takeUnsynced(from request: inout SaveRequest) -> SaveRequest? {
        schema.hasUnsyncedEntities ? request.takeUnsynced() : nil
    }

    private mutating func write(_ request: SaveRequest) throws {
        for insert in request.inserts { try write(insert) }
        for update in request.updates { try write(update) }
        if !request.links.isEmpty || !request.lists.isEmpty {
            try write(request.links, moves: request.lists)
        }
        for delete in request.deletes { try write(delete) }
    }

    /// Writes rows that are kept in this store only.
    mutating func writeUnsynced(_ request: SaveRequest) throws {
        unsyncedChanges += request.unsyncedChanges
        try asUnsynced { operation in
            for list in request.lists { try operation.lists.place(list) }
            try operation.write(request)
        }
    }

    /// Applies the view rules and appends the change set to the log.
    mutating func finish(
        author: String, name: String, _ renamed: [LocalID: LocalID] = [:]
    ) throws -> SaveResult {
        let shown = try applyViewRules()
        let dot = try appendToLog(author: author, name: name)
        if !unseenValues.isEmpty { try recordUnseenValues() }
        return SaveResult(dot: dot, version: RowVersion(position), renamed: renamed, shown: shown)
    }

    /// Applies the view rules.
    ///
    /// - Returns: The records that show something else although the request did not write them.
    private mutating func applyViewRules() throws -> ChangedRecords {
        guard !transaction.areViewsSettled else { return try transaction.collected(owners) }
        var changes = owners
        transaction.views.logStamps.record(stamp, at: position)
        try transaction.views.applyRulesBeforeCycles()
        for (id, viewColumn) in try transaction.views.cutReferencesInTheWay() {
            try clear(id, viewColumn, &changes)
        }
        return try transaction.collected(changes)
    }

    /// Writes null to a reference that the app has read as null.
    private mutating func clear(
        _ id: LocalID, _ viewColumn: ViewRuleColumn, _ changes: inout ChangeCollector
    ) throws {
        try transaction.views.separateDuplicates([id])
        let reader = StoreReader(connection, schema: schema)
        guard let entity = try reader.entity(of: id, in: viewColumn.root) else { return }
        try findCutReference(of: id, viewColumn, entity)
        let statement = try connection.cached(schema.layout(of: entity).versionSQL)
        try statement.bind(id, at: 1)
        guard try statement.step() else { return }
        let version = RowVersion(statement.int64(at: 1))
        statement.reset()
        var update = SaveRequest.Update(entity: entity, slots: [viewColumn.column.slot])
        let nothing = [PropertyValue](repeating: .null, count: entity.slots.count)
        nothing.withUnsafeBufferPointer { update.append(id, version, $0) }
        if entity.isSynced {
            try write(update)
        } else {
            var request = SaveRequest()
            request.updates = [update]
            try writeUnsynced(request)
        }
        changes.addUpdated(id, of: entity, slots: [viewColumn.column.slot])
    }

    func checkNames(_ author: String, _ name: String) throws {
        guard author.utf8.count <= Limits.longestName, name.utf8.count <= Limits.longestName
        else {
            throw StoreError(
                .saveTooLarge,
                "Can't save because the author or the name exceeds \(Limits.longestName) bytes.")
        }
    }

    /// Registers a record that differs from the request's expectation.
    mutating func addStale(_ id: LocalID) { staleRecords.append(id) }

    /// Gives new IDs to inserted records if their numbers were reserved under an earlier replica ID
    /// of the file. An inserted record always belongs to its author.
    ///
    /// - Returns: The new IDs by the former ones.
    private func rename(_ request: inout SaveRequest) throws -> [LocalID: LocalID] {
        let ordinal = ordinal
        let isForeign = { (id: LocalID) in id.ordinal != ordinal }
        guard request.inserts.contains(where: { $0.rows.ids.contains(where: isForeign) }) else {
            return [:]
        }
        let foreign = request.inserts.flatMap { $0.rows.ids.filter(isForeign) }
        let numbers = try transaction.reserveNumbers(foreign.count)
        let renamed = Dictionary(uniqueKeysWithValues: zip(foreign, numbers))
        request = request.renaming(renamed)
        return renamed
    }

    /// Takes the log's next position again, because positions were taken since.
    mutating func moveBehindLog() throws { position = try log.nextPosition() }

    /// Checks versions before anything is written.
    private mutating func compareVersions(_ check: SaveRequest.Records) throws {
        let statement = try connection.cached(schema.layout(of: check.entity).versionSQL)
        for row in check.rows {
            try statement.bind(row.id, at: 1)
            let isThere = try statement.step()
            if !isThere || RowVersion(statement.int64(at: 1)) != row.version { addStale(row.id) }
            statement.reset()
        }
    }

    mutating func checkVersions() throws {
        // The app knows only the records that its request has named.
        guard !staleRecords.isEmpty else { return }
        var known: Set<LocalID> = []
        let shown = staleRecords.map { shownBy[$0] ?? $0 }.filter { known.insert($0).inserted }
        throw StoreError(
            .mergeConflict,
            "Can't save because another context or replica has changed \(shown.count) records "
                + "since they were read. Refresh them, then save again.",
            records: shown)
    }

    /// Appends the change set to the log, and the history of unsynced records to theirs.
    ///
    /// - Returns: `nil` if the save has only changed unsynced records. It has no change set then,
    ///   but a position like any other.
    private mutating func appendToLog(author: String, name: String) throws -> Dot? {
        transaction.written.add(position: position)
        if !unsyncedChanges.isEmpty {
            try UnsyncedSaves(connection: connection, schema: schema).append(
                UnsyncedSave(
                    position: position, timestamp: timestamp, author: author, name: name,
                    changes: unsyncedChanges), ordinal: ordinal)
            guard !encoder.isEmpty || !parts.isEmpty else {
                try log.append(stamp, at: position)
                return nil
            }
        }
        let (kind, payload) = try finish()
        let set = ChangeSet(
            saving: payload, as: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            previousOrigin: previousOrigin,
            context: try transaction.causalContext())
        transaction.takeSave(set, at: position)
        try log.append(set, ordinal: ordinal, place: nil, at: position)
        return dot
    }
}
