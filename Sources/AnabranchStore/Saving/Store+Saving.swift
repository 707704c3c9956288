import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Saves everything that a context has changed, in one transaction and as one change set.
    ///
    /// Rows, log entry, sequence number, clock: all or nothing is there afterwards.
    ///
    /// - Throws: ``StoreError``; nothing was written. `mergeConflict` names every record that
    ///   was changed or deleted elsewhere since the request's versions were read: refresh them,
    ///   then save again. `constraintConflict` names the records that hold one unique key.
    package func save(_ request: SaveRequest) throws -> SaveResult {
        guard !request.isEmpty else {
            return SaveResult(
                dot: nil, version: .none, renamed: [:])
        }
        return try write { transaction in
            try transaction.renewIdentityIfNeeded()
            var save = try SaveOperation(transaction)
            return try save.run(request)
        }
    }
}

/// One save within its transaction.
struct SaveOperation {
    let transaction: WriteTransaction
    let replica: ReplicaID
    let dot: Dot
    let previousOrigin: Digest
    let timestamp: HybridTimestamp
    /// That the set takes in the log.
    private(set) var position: Int64
    private let log: ChangeLog
    var encoder: ChangePayloadEncoder
    /// Those that are finished; the encoder has what follows.
    var parts: [SavePart] = []
    let partLimits: PartLimits
    /// The record whose row is being written.
    var present: LocalID = 0
    /// Of the records that are being written.
    var presentEntity: EntityDescription?
    let deferred: DeferredRows
    let logStamps: LogStamps
    var staleRecords: [LocalID] = []
    /// Records that the request does not name, by those that showed them.
    var shownBy: [LocalID: LocalID] = [:]
    var lists: ListPlaces
    /// Records whose derived attributes looked at what was deleted.
    var owners = ChangeCollector()
    /// As ``SaveRequest/carriedGroups``.
    var carriedGroups: [LocalID: [WireProperty: GroupValue]] = [:]

    var connection: Connection { transaction.connection }
    var schema: StoreSchema { transaction.schema }
    var ordinal: Int64 { transaction.state.ordinal }
    var stamp: LocalStamp {
        LocalStamp(timestamp: timestamp.rawValue, ordinal: ordinal)
    }

    init(_ transaction: WriteTransaction) throws {
        self.transaction = transaction
        replica = try transaction.ownReplica()
        let head = try transaction.head(of: transaction.state.ordinal)
        guard head.sequence < Limits.greatestSequence else {
            throw StoreError(.exhausted, "Can't save because the replica has saved 2^53 times.")
        }
        dot = Dot(replica: replica, sequence: head.sequence + 1)
        previousOrigin = head.origin
        let wall = transaction.wallMilliseconds
        guard let tick = transaction.state.clock.tick(wallMilliseconds: wall) else {
            throw StoreError(
                .exhausted, "Can't save because the clock is at its end; set the device's clock.")
        }
        timestamp = tick
        log = transaction.log
        position = try log.nextPosition()
        encoder = ChangePayloadEncoder(author: replica)
        partLimits = transaction.environment.partLimits
        deferred = DeferredRows(transaction)
        logStamps = LogStamps(transaction.connection)
        lists = ListPlaces(transaction.connection, schema: transaction.schema, dot: dot)
    }

    mutating func run(_ original: SaveRequest) throws -> SaveResult {
        try checkNames(original)
        transaction.views.isSaving = true
        let (named, renamed) = try renaming(original)
        let limit = connection.lengthLimit
        // Below that of a zone and of the file itself: what is saved can be taken everywhere.
        connection.lengthLimit = partLimits.recordBytes
        defer { connection.lengthLimit = limit }
        do {
            return try run(named, renamed)
        } catch let error as SQLiteError where error.code == .tooBig {
            throw recordTooLarge([present], error)
        } catch let error as StoreError where !renamed.isEmpty {
            let names = Dictionary(uniqueKeysWithValues: renamed.map { ($1, $0) })
            throw error.renaming(names)
        }
    }

    private mutating func run(
        _ named: SaveRequest, _ renamed: [LocalID: LocalID]
    ) throws -> SaveResult {
        for check in named.checks { try note(check) }
        for list in named.lists { try lists.place(list) }
        let request = try spreading(named)
        carriedGroups = request.carriedGroups
        for insert in request.inserts { try write(insert) }
        for update in request.updates { try write(update) }
        try write(request.links, moves: request.lists)
        for delete in request.deletes { try write(delete) }
        try checkVersions()
        var constraints = ConstraintCheck(transaction)
        try constraints.check(request)
        let shown = try settleViews()
        try appendToLog(request)
        return SaveResult(
            dot: dot, version: RowVersion(position), renamed: renamed, shown: shown)
    }

    /// - Returns: What shows something else though the request did not write it.
    private mutating func settleViews() throws -> ChangedRecords {
        var changes = owners
        transaction.views.logStamps.note(stamp, at: position)
        try transaction.views.settleBeforeCycles()
        for (id, ruled) in try transaction.views.cutReferencesInTheWay() {
            try clear(id, ruled, &changes)
        }
        return try transaction.collected(changes)
    }

    /// Writes that a record refers to nothing, where it has read so.
    private mutating func clear(
        _ id: LocalID, _ ruled: RuledColumn, _ changes: inout ChangeCollector
    ) throws {
        try transaction.views.uncover([id])
        let reader = StoreReader(connection, schema: schema)
        guard let entity = try reader.entity(of: id, in: ruled.root) else { return }
        let statement = try connection.cached(schema.layout(of: entity).versionSQL)
        try statement.bind(id, at: 1)
        guard try statement.step() else { return }
        let version = RowVersion(statement.int64(at: 1))
        statement.reset()
        var update = SaveRequest.Update(entity: entity, slots: [ruled.column.slot])
        let nothing = [Value](repeating: .null, count: entity.slots.count)
        nothing.withUnsafeBufferPointer { update.append(id, version, $0) }
        try write(update)
        changes.noteUpdated(id, of: entity, slots: [ruled.column.slot])
    }

    private func checkNames(_ request: SaveRequest) throws {
        guard request.author.utf8.count <= Limits.longestName,
            request.name.utf8.count <= Limits.longestName
        else {
            throw StoreError(
                .saveTooLarge,
                "Can't save because author or name exceed \(Limits.longestName) bytes.")
        }
    }

    /// Takes note of a record that is not as the request takes it to be.
    mutating func noteStale(_ id: LocalID) {
        if !staleRecords.contains(id) { staleRecords.append(id) }
    }

    /// Inserted records whose numbers were reserved under an earlier replica ID of the file get
    /// numbers of the present one: an inserted record is always its author's own.
    private func renaming(
        _ request: SaveRequest
    ) throws -> (SaveRequest, renamed: [LocalID: LocalID]) {
        let foreign = request.inserts.flatMap { $0.rows.ids }.filter { $0.ordinal != ordinal }
        guard !foreign.isEmpty else { return (request, [:]) }
        let numbers = try transaction.reserveNumbers(foreign.count)
        let renamed = Dictionary(uniqueKeysWithValues: zip(foreign, numbers))
        return (request.renaming(renamed), renamed)
    }

    /// Takes the next place of the log, where places were taken since.
    mutating func moveBehindLog() throws { position = try log.nextPosition() }

    /// Before anything is written.
    private mutating func note(_ check: SaveRequest.Check) throws {
        let statement = try connection.cached(schema.layout(of: check.entity).versionSQL)
        for row in check.rows {
            try statement.bind(row.id, at: 1)
            let isThere = try statement.step()
            if !isThere || RowVersion(statement.int64(at: 1)) != row.version { noteStale(row.id) }
            statement.reset()
        }
    }

    private mutating func checkVersions() throws {
        // The app knows the records that it has named.
        staleRecords = staleRecords.map { shownBy[$0] ?? $0 }.reduce(into: []) { found, id in
            if !found.contains(id) { found.append(id) }
        }
        guard staleRecords.isEmpty else {
            throw StoreError(
                .mergeConflict,
                "Can't save because \(staleRecords.count) records were changed elsewhere since "
                    + "they were read; refresh them, then save again.", records: staleRecords)
        }
    }

    private mutating func appendToLog(_ request: SaveRequest) throws {
        let (kind, payload) = try finish()
        let set = ChangeSet(
            saving: payload, as: kind, dot: dot, timestamp: timestamp, author: request.author,
            name: request.name, previousOrigin: previousOrigin,
            context: try transaction.causalContext())
        try transaction.setHead(of: ordinal, sequence: dot.sequence, origin: set.origin)
        try log.append(set, ordinal: ordinal, place: nil)
    }
}

extension WriteTransaction {
    /// What this file holds: a prefix of the zone's log, its own earlier saves (which its
    /// sequence numbers say), and those of its former replica IDs that lie beyond the prefix.
    func causalContext() throws -> CausalContext {
        let prefix = state.cursor.map {
            CausalContext.Prefix(epoch: $0.epoch, position: $0.position)
        }
        guard replicas.count > 1 else { return CausalContext(prefix: prefix) }
        let statement = try connection.cached(
            """
            SELECT r.ordinal, r.seen, r.origin FROM ab_replica r JOIN ab_changeset c
            ON c.replica = r.ordinal AND c.seq = r.seen
            WHERE r.own = 1 AND r.ordinal <> ? AND r.seen > 0
            AND (c.server_position IS NULL OR c.epoch IS NOT ? OR c.server_position > ?)
            """)
        try statement.bind(state.ordinal, at: 1)
        try statement.bind(prefix?.epoch.bytes ?? [], at: 2)
        try statement.bind(Int64(bitPattern: prefix?.position ?? 0), at: 3)
        var beyond: [CausalContext.Entry] = []
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { continue }
            let sequence = UInt64(bitPattern: statement.int64(at: 1))
            beyond.append(
                .init(
                    dot: Dot(replica: replica, sequence: sequence), originPrefix: origin.prefix))
        }
        return CausalContext(prefix: prefix, beyond: beyond)
    }
}
