import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// One write transaction: the connection, the state row as it is now, and the replicas.
///
/// Confined to the body of `Store.write`. What it changes becomes visible, also in memory, only
/// when the transaction has committed.
final class WriteTransaction {
    let connection: Connection
    let store: Store
    var state: StoreState
    private(set) var replicas: ReplicaTable
    /// What is added to the conflict journal.
    private(set) lazy var conflicts = ConflictRows(connection)

    /// What the rows show where that follows from several records.
    private(set) lazy var views = ViewRules(self)

    /// Numbers of the saves that turned out to be rejected.
    private(set) var rejections: [RejectedSave.ID] = []

    var schema: StoreSchema { store.schema }
    var environment: StoreEnvironment { store.environment }

    /// The log, with the replicas known now. Ask again where one may have come since.
    var log: ChangeLog { ChangeLog(connection: connection, replicas: replicas) }

    /// - Throws: `storeChanged` where another process has upgraded the file since it was opened.
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
            "Can't write \(store.path) because another program has upgraded it; open it anew.",
            path: store.path)
    }

    /// By the server's clock, as far as it is known.
    var wallMilliseconds: Int64 {
        environment.wallMilliseconds().addingReportingOverflow(state.clockOffset).partialValue
    }

    func noteRejection(_ id: RejectedSave.ID) { rejections.append(id) }

    func finish() throws {
        precondition(views.isSettled, "Apply the view rules before the transaction ends.")
        try conflicts.write()
        try state.write(connection)
    }

    /// Applies the view rules, and gives what has changed.
    func collected(_ changes: ChangeCollector) throws -> ChangedRecords {
        var changes = changes
        try views.settle(&changes)
        let reader = StoreReader(connection, schema: schema)
        return try reader.withDerived(changes.collected(reader))
    }

    /// The replica that this transaction saves under.
    func ownReplica() throws -> ReplicaID {
        guard let replica = replicas[state.ordinal] else {
            throw StoreError(
                .corrupt, "Can't use \(store.path) because it names no replica.",
                path: store.path)
        }
        return replica
    }

    /// The ordinal of a replica, given to it now where it is new to the file.
    ///
    /// - Parameter isOwn: Whether sets of that name may lie beyond the cursor, so that contexts
    ///   have to name them: this file has saved under it, or has got them from a bundle.
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
                .exhausted, "Can't take in replica \(replica) because a store holds 2^22 at most.",
                path: store.path)
        }
        try connection.run(
            "INSERT INTO ab_replica (ordinal, id, own, seen) VALUES (?, ?, ?, 0)",
            .integer(ordinal), .blob(replica.bytes), .integer(isOwn ? 1 : 0))
        replicas.append(replica)
        return ordinal
    }

    /// Takes a fresh replica ID where the file is a copy, or was told that it has a twin.
    ///
    /// A file found under another inode or birth time was copied or restored; whoever else has it
    /// goes on under the old ID. What was saved and not pushed yet stays under the old one.
    func renewIdentityIfNeeded() throws {
        let file = environment.fileIdentity(store.path)
        let isCopy =
            !environment.disabled.contains(.fileIdentity)
            && Self.isAnotherFile(state.file, file)
        state.file = file.isEmpty ? state.file : file
        guard isCopy || state.isRenewing else { return }
        state.ordinal = try intern(environment.freshReplica(), isOwn: true)
        state.nextNumber = 1
        state.isRenewing = false
    }

    private static func isAnotherFile(_ recorded: [UInt8], _ present: [UInt8]) -> Bool {
        guard let recorded = FileIdentity(encoded: recorded),
            let present = FileIdentity(encoded: present)
        else { return false }
        return !recorded.matches(present)
    }

    /// What is held of a replica: its highest sequence number and that set's origin.
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
