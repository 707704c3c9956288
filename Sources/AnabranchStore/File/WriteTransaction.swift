import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// One write transaction: the connection, the present state row, and the replicas.
///
/// It is confined to the body of `Store.write`. Its changes become visible, also in memory, only
/// when the transaction has committed.
class WriteTransaction {
    final let connection: Connection
    final let store: Store
    /// The head that the transaction goes on with. It has the former state until the commit.
    final let head: StoreHead

    // Properties are marked `unchecked` because a transaction is confined to one thread.

    @exclusivity(unchecked) final var state: StoreState
    /// The clock, the head and the position of the last save; `nil` before one.
    @exclusivity(unchecked) private var saved:
        (clock: HybridClock, head: StoreState.Head, position: Int64)?
    @exclusivity(unchecked) final private(set) var replicas: ReplicaTable
    /// The part of the history that the transaction adds.
    @exclusivity(unchecked) final var written = HistoryWrites()

    /// The transaction's knowledge of the log.
    final var knownLog: KnownLog { head.log }

    final var schema: StoreSchema { store.schema }
    final var environment: StoreEnvironment { store.environment }

    /// Begins the transaction.
    ///
    /// - Parameters:
    ///   - replicas: The known replicas of the file.
    ///   - head: The head that the transaction before has left. If no other connection has written
    ///     since, the known replicas are all. After a migration the file is read again.
    /// - Throws: `storeChanged` if another process has upgraded the file since it was opened.
    required init(
        _ connection: Connection, store: Store, replicas: ReplicaTable, after head: StoreHead? = nil
    ) throws {
        self.connection = connection
        self.store = store
        self.replicas = replicas
        var known = head?.present(on: connection)
        if known?.state.model != store.modelHash { known = nil }
        self.head = try known ?? StoreHead(Self.presentState(connection, of: store))
        state = self.head.state
        knownLog.forgetBranchPoints()
        if known == nil { try self.replicas.readNew(connection) }
    }

    /// The values of small tables that are known now.
    final var tables: KnownTables {
        head.tables.forget(connection.takeWrittenTables())
        return head.tables
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
    final var wallMilliseconds: Int64 {
        environment.wallMilliseconds().addingReportingOverflow(state.clockOffset).partialValue
    }

    /// The last position of the log before the transaction.
    final var formerPosition: Int64 { head.state.lastPosition }

    /// Writes what the transaction has in memory, before it commits.
    func finish() throws {
        takeLog()
        if !isLogged { try state.write(connection) }
    }

    /// True if the log says the state with the row as it was read, after a save.
    private var isLogged: Bool {
        guard let saved else { return false }
        var logged = head.state
        (logged.clock, logged.head, logged.lastPosition) = saved
        return state == logged
    }

    /// Writes the row of the state now, for statements of this transaction.
    final func writeState() throws {
        takeLog()
        try state.write(connection)
    }

    private func takeLog() {
        (state.lastPosition, state.placed) = (knownLog.lastPosition, knownLog.placed)
    }

    /// Takes a save that this transaction appends to the log as the head of its replica.
    final func takeSave(_ set: ChangeSet, at position: Int64) {
        setOwnHead(sequence: set.dot.sequence, origin: set.origin)
        saved = (HybridClock(latest: set.timestamp), state.head, position)
    }

    /// The replica under which this transaction saves.
    final func ownReplica() throws -> ReplicaID {
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
    final func ordinal(of replica: ReplicaID, isOwn: Bool = false) throws -> Int64 {
        guard let ordinal = replicas.ordinal(of: replica) else {
            return try intern(replica, isOwn: isOwn)
        }
        if isOwn {
            try connection.run("UPDATE ab_replica SET own = 1 WHERE ordinal = ?", .integer(ordinal))
        }
        return ordinal
    }

    final func localID(of record: RecordID) throws -> LocalID {
        LocalID(ordinal: try ordinal(of: record.replica), number: record.number)
    }

    /// A value in the form in which this file stores it, with references as local IDs.
    final func localValue(_ value: PropertyValue) throws -> PropertyValue {
        guard case .reference(let record) = value else { return value }
        return .integer(try localID(of: record))
    }

    final func recordID(of id: LocalID) throws -> RecordID {
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
    final func renewIdentityIfNeeded() throws {
        let file = store.file
        let isCopy = Mechanism.fileIdentity.isOn && Store.areDifferent(state.file, file)
        state.file = file.isEmpty ? state.file : file
        guard isCopy || state.isRenewing else { return }
        state.ordinal = try intern(try environment.freshReplica(), isOwn: true)
        try keepOwnHeadInState()
        state.nextNumber = 1
        state.isRenewing = false
    }

    /// The head of a replica: the highest sequence number held, and that change set's origin.
    final func head(of ordinal: Int64) throws -> (sequence: UInt64, origin: Digest) {
        if ordinal == state.head.ordinal { return (state.head.sequence, state.head.origin) }
        if let known = knownLog.heads[ordinal] { return known }
        let head = try storedHead(of: ordinal)
        knownLog.setHead(head, of: ordinal)
        return head
    }

    private func storedHead(of ordinal: Int64) throws -> KnownLog.Head {
        try connection.cached(
            "SELECT seen, origin FROM ab_replica WHERE ordinal = ?", ordinal
        ).first {
            (try $0.sequence(at: 0), Digest(bytes: $0.bytes(at: 1)) ?? .zero)
        } ?? (0, .zero)
    }

    /// Sets the head of a replica, also for statements of this transaction.
    final func setHead(of ordinal: Int64, sequence: UInt64, origin: Digest) throws {
        guard ordinal != state.head.ordinal else {
            setOwnHead(sequence: sequence, origin: origin)
            return try writeState()
        }
        knownLog.setHead((sequence, origin), of: ordinal)
        try connection.run(
            "UPDATE ab_replica SET seen = ?, origin = ? WHERE ordinal = ?",
            .integer(Int64(bitPattern: sequence)), .blob(origin.bytes), .integer(ordinal))
    }

    private func setOwnHead(sequence: UInt64, origin: Digest) {
        state.head.sequence = sequence
        state.head.origin = origin
    }

    /// Sets every head to that of a replica of which nothing is held.
    final func removeHeads() throws {
        knownLog.removeHeads()
        setOwnHead(sequence: 0, origin: .zero)
        try connection.execute("UPDATE ab_replica SET seen = 0, origin = NULL")
        try writeState()
    }

    /// Keeps the head of the replica under which the file saves now in the row of the state.
    private func keepOwnHeadInState() throws {
        let (former, own) = (state.head, try head(of: state.ordinal))
        state.head = StoreState.Head(
            ordinal: state.ordinal, sequence: own.sequence, origin: own.origin)
        try writeState()
        try setHead(of: former.ordinal, sequence: former.sequence, origin: former.origin)
    }
}

extension WriteTransaction {
    func reserveNumbers(_ count: Int) throws -> ClosedRange<LocalID> {
        let first = state.nextNumber
        let last = first + UInt64(max(count, 1)) - 1
        guard last <= Limits.greatestRecordNumber else {
            throw StoreError(
                .exhausted, "Can't insert because the replica has used all 2^40 record numbers.",
                path: store.path)
        }
        if Mechanism.numberReservation.isOn { state.nextNumber = last + 1 }
        return LocalID(
            ordinal: state.ordinal, number: first)...LocalID(
                ordinal: state.ordinal, number: last)
    }
}

extension ReplicaTable {
    static func read(_ connection: Connection) throws -> ReplicaTable {
        var replicas = ReplicaTable()
        try replicas.readNew(connection)
        return replicas
    }

    /// Reads the replicas that another process has added.
    mutating func readNew(_ connection: Connection) throws {
        let statement = try connection.cached(
            "SELECT id, ordinal FROM ab_replica WHERE ordinal >= ? ORDER BY ordinal", count)
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 0)),
                ordinal(of: replica) == nil, try statement.ordinal(at: 1) == count
            else {
                throw StoreError(
                    .corrupt,
                    "Can't use the store because the ID of its replica \(count) is damaged. "
                        + "Restore a backup.")
            }
            append(replica)
        }
    }
}
