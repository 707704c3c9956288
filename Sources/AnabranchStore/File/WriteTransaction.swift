import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// One write transaction: the connection, the present state row, and the replicas.
///
/// It is confined to the body of `Store.write`. Its changes become visible, also in memory, only
/// when the transaction has committed.
final class WriteTransaction {
    let connection: Connection
    let store: Store
    var state: StoreState
    private(set) var replicas: ReplicaTable
    /// The entries added to the conflict journal.
    private(set) lazy var conflicts = ConflictRows(connection)

    /// The view rules that the transaction applies.
    private(set) lazy var views = ViewRules(self)

    // One owner for all that this transaction has read of the log and the rows and adds to them:
    // operations within it share these, so none can miss what another one has done.

    /// Stamps of the log's entries. Call ``forgetReadings()`` after an entry got another form.
    private(set) lazy var logStamps = LogStamps(connection)
    private(set) lazy var deferred = DeferredRows(self)
    private(set) lazy var held = HeldRecords(connection, schema: schema, deferred: deferred)
    private(set) lazy var journal = ConflictJournal(self)
    /// Change sets that came in this transaction, for those that wait for them.
    let arrivals = Arrivals()

    /// The numbers of the saves that turned out to be rejected.
    private(set) var rejections: [RejectedSave.ID] = []

    var schema: StoreSchema { store.schema }
    var environment: StoreEnvironment { store.environment }

    /// The log, with the replicas known now. Read the property again after a replica may have been
    /// added.
    var log: ChangeLog { ChangeLog(connection: connection, replicas: replicas) }

    /// Begins the transaction.
    ///
    /// - Throws: `storeChanged` if another process has upgraded the file since it was opened.
    init(_ connection: Connection, store: Store, replicas: ReplicaTable) throws {
        self.connection = connection
        self.store = store
        self.replicas = replicas
        state = try Self.presentState(connection, of: store)
        try self.replicas.readNew(connection)
    }

    private static func presentState(
        _ connection: Connection, of store: Store
    ) throws -> StoreState {
        do {
            let state = try StoreState.read(connection)
            if state.format == StoreFormat.version, state.model == store.modelHash { return state }
        } catch let error as SQLiteError where error.code == .error {
            // Another format may have another table.
            guard try StoreState.format(connection) != StoreFormat.version else { throw error }
        }
        throw StoreError(
            .storeChanged,
            "Can't write \(store.path) because another program has upgraded it. Open it again.",
            path: store.path)
    }

    /// The time by the server's clock, as far as its offset is known.
    var wallMilliseconds: Int64 {
        environment.wallMilliseconds().addingReportingOverflow(state.clockOffset).partialValue
    }

    /// Gives an entry of the log another form (``ChangeLog/replace(_:by:ordinal:)``), and forgets
    /// what was read of it.
    func replace(_ entry: StoredLogEntry, by set: ChangeSet, ordinal: Int64) throws {
        try log.replace(entry, by: set, ordinal: ordinal)
        forgetReadings()
    }

    /// Forgets what was read of the log's entries: some have got another name, time, form or place.
    ///
    /// What has arrived and what is in the journal stays.
    func forgetReadings() {
        logStamps.forget()
        journal.forgetPlaces()
    }

    func recordRejection(_ id: RejectedSave.ID) { rejections.append(id) }

    func finish() throws {
        precondition(views.isSettled, "Apply the view rules before the transaction ends.")
        try conflicts.write()
        try state.write(connection)
    }

    /// Applies the view rules, and returns the changed records.
    func collected(_ changes: ChangeCollector) throws -> ChangedRecords {
        var changes = changes
        try views.apply(&changes)
        let reader = StoreReader(connection, schema: schema)
        return try reader.withDerived(changes.collected(reader))
    }

    /// The replica under which this transaction saves.
    func ownReplica() throws -> ReplicaID {
        guard let replica = replicas[state.ordinal] else {
            throw StoreError(
                .corrupt,
                "Can't use \(store.path) because its replica ID is missing. Restore a backup.",
                path: store.path)
        }
        return replica
    }

    /// The ordinal of a replica, assigned now if the file does not know the replica yet.
    ///
    /// - Parameter isOwn: True if change sets of the replica may lie beyond the cursor, so that
    ///   contexts must name them. The file has saved under this ID, or got change sets of it from a
    ///   bundle.
    func ordinal(of replica: ReplicaID, isOwn: Bool = false) throws -> Int64 {
        guard let ordinal = replicas.ordinal(of: replica) else {
            return try intern(replica, isOwn: isOwn)
        }
        if isOwn {
            try connection.run(
                "UPDATE ab_replica SET own = 1 WHERE ordinal = ?", .integer(ordinal))
        }
        return ordinal
    }

    func localID(of record: RecordID) throws -> LocalID {
        LocalID(ordinal: try ordinal(of: record.replica), number: record.number)
    }

    func recordID(of id: LocalID) throws -> RecordID {
        guard let record = replicas.record(id) else {
            throw StoreError(
                .corrupt, "Can't name record \(id) because its replica is unknown.",
                path: store.path, records: [id])
        }
        return record
    }

    private func intern(_ replica: ReplicaID, isOwn: Bool) throws -> Int64 {
        let ordinal = replicas.count
        guard ordinal <= Int64(Limits.greatestReplicaOrdinal) else {
            throw StoreError(
                .exhausted,
                "Can't add replica \(replica) because a store has at most 2^22 replicas.",
                path: store.path)
        }
        try connection.run(
            "INSERT INTO ab_replica (ordinal, id, own, seen) VALUES (?, ?, ?, 0)",
            .integer(ordinal), .blob(replica.bytes), .integer(isOwn ? 1 : 0))
        replicas.append(replica)
        return ordinal
    }

    /// Takes a new replica ID if the file was copied or restored.
    ///
    /// A file with another inode or birth time than recorded was copied or restored; the other copy
    /// continues under the old ID. Saves that were not pushed yet keep the old ID.
    func renewIdentityIfNeeded() throws {
        let file = environment.fileIdentity(store.path)
        let isCopy =
            !environment.disabled.contains(.fileIdentity)
            && Self.isAnotherFile(state.file, file)
        state.file = file.isEmpty ? state.file : file
        guard isCopy || state.isRenewing else { return }
        state.ordinal = try intern(try environment.freshReplica(), isOwn: true)
        state.nextNumber = 1
        state.isRenewing = false
    }

    private static func isAnotherFile(_ recorded: [UInt8], _ present: [UInt8]) -> Bool {
        guard let recorded = FileIdentity(encoded: recorded),
            let present = FileIdentity(encoded: present)
        else { return false }
        return !recorded.matches(present)
    }

    /// The head of a replica: the highest sequence number held, and that change set's origin.
    func head(of ordinal: Int64) throws -> (sequence: UInt64, origin: Digest) {
        let statement = try connection.cached(
            "SELECT seen, origin FROM ab_replica WHERE ordinal = ?")
        try statement.bind(ordinal, at: 1)
        guard try statement.step() else { return (0, .zero) }
        defer { statement.reset() }
        return (
            UInt64(bitPattern: statement.int64(at: 0)),
            Digest(bytes: statement.bytes(at: 1)) ?? .zero
        )
    }

    func setHead(of ordinal: Int64, sequence: UInt64, origin: Digest) throws {
        try connection.run(
            "UPDATE ab_replica SET seen = ?, origin = ? WHERE ordinal = ?",
            .integer(Int64(bitPattern: sequence)), .blob(origin.bytes), .integer(ordinal))
    }
}
