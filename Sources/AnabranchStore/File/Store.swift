package import AnabranchModel
package import AnabranchReplication
package import AnabranchSQLite
import Foundation
import Synchronization

/// One open store file.
///
/// Reads run on a pool of connections, each in one snapshot. Writes run on one connection, one at a
/// time. Both run on the calling thread.
package final class Store: Sendable {
    package let path: String
    package let model: ManagedObjectModel
    package let schema: StoreSchema
    /// Distinguishes this opening of the file from every other.
    package let identity = StoreIdentity()
    let environment: StoreEnvironment
    /// The rights with which the file was opened.
    let access: StoreAccess
    let options: StoreOptions
    let modelHash: [UInt8]
    /// The stage of a migration that the file waits for; `nil` if it waits for none.
    ///
    /// A store that may write was opened to complete the stage: its next save does that.
    package let pendingStage: PendingStage?
    let readers: ConnectionPool
    let snapshots = StoreSnapshots()
    package let saveListeners = SaveListeners()
    let ownWrites = OwnWrites()
    private let writer: Writer
    private let checkpointer: Checkpointer?
    package let knownReplicas: KnownReplicas
    /// The identity of the open file. A copy or a restored backup is another file, which this
    /// opening does not see.
    let file: [UInt8]
    /// How many records were inserted in memory only.
    let provisionalCount = Mutex<UInt64>(0)
    private let isClosed = Atomic(false)

    init(
        path: String, model: ManagedObjectModel, schema: StoreSchema, modelHash: [UInt8],
        options: StoreOptions, environment: StoreEnvironment, access: StoreAccess,
        writer: Connection, replicas: ReplicaTable, pendingStage: PendingStage? = nil
    ) throws {
        self.pendingStage = pendingStage
        self.path = path
        self.model = model
        self.schema = schema
        self.modelHash = modelHash
        self.options = options
        self.environment = environment
        self.access = access
        self.writer = try Writer(writer)
        checkpointer =
            environment.hasCheckpointer && !options.isReadOnly
            ? try Checkpointer(of: writer, vfs: environment.vfs, durability: options.durability)
            : nil
        knownReplicas = KnownReplicas(replicas)
        let file = environment.fileIdentity(path)
        self.file = file
        readers = ConnectionPool(
            path: path, limit: options.readerCount, mode: access.readingMode, vfs: environment.vfs,
            busyTimeout: options.busyTimeout
        ) { connection in
            try StoreFunctions.install(on: connection)
            guard Self.areDifferent(file, environment.fileIdentity(path)) else { return }
            throw Self.moved(path, "read")
        }
    }

    /// True if two recorded identities are of different files, and both are known.
    static func areDifferent(_ recorded: [UInt8], _ present: [UInt8]) -> Bool {
        guard recorded != present, let recorded = FileIdentity(encoded: recorded),
            let present = FileIdentity(encoded: present)
        else { return false }
        return !recorded.matches(present)
    }

    private static func moved(_ path: String, _ action: String) -> StoreError {
        StoreError(
            .storeChanged,
            "Can't \(action) \(path) because its file was moved, deleted or replaced since it was "
                + "opened. Move the file back, or open the store again.", path: path)
    }

    package var hasClosed: Bool { isClosed.load(ordering: .acquiring) }

    /// Closes the store after running reads and writes have finished. Later calls throw `closed`.
    package func close() {
        endReading()
        writer.close()
    }

    /// Ends this opening of the file. Another opening goes on with its writing connection.
    func endReading() {
        isClosed.store(true, ordering: .releasing)
        snapshots.endAll()
        readers.close()
        checkpointer?.close()
    }

    /// Statistics of the statements of all counted reads that have ended.
    package var readStatistics: ConnectionStatistics { readers.statistics }
}

/// The identity of one opening of a file.
package final class StoreIdentity: Sendable, Hashable {
    package init() {}

    package static func == (left: StoreIdentity, right: StoreIdentity) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The only connection that writes, and its lock.
private final class Writer: @unchecked Sendable {
    // The lock protects the connection and the head.
    private let connection: Connection
    private var head: StoreHead?
    private let lock = NSLock()

    init(_ connection: Connection) throws {
        self.connection = connection
        try connection.watchWrites(of: KnownTables.watched)
    }

    func withLock<Result>(
        _ body: (Connection, inout StoreHead?) throws -> Result
    ) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(connection, &head)
    }

    /// Runs a body unless another thread uses the connection.
    func withLockIfFree<Result>(
        _ body: (Connection, inout StoreHead?) throws -> Result
    ) rethrows -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body(connection, &head)
    }

    func close() { withLock { connection, _ in connection.close() } }
}

extension Store {
    /// Runs a body in one read transaction: it sees one state of the file, whatever is saved
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - isOneStatement: True if the body runs one statement at most, which sees one state by
    ///     itself. This is faster.
    ///   - isCounted: False for a read in the background, which ``readStatistics`` leave out.
    package func read<Result>(
        isOneStatement: Bool = false, isCounted: Bool = true,
        _ body: (StoreReader) throws -> Result
    ) throws -> Result {
        try translating("read") {
            try readers.read(isOneStatement: isOneStatement, isCounted: isCounted) { connection in
                do {
                    return try body(StoreReader(connection, schema: schema, identity: identity))
                } catch let error as SQLiteError where error.code == .error {
                    try checkModel(connection)
                    throw error
                }
            }
        }
    }

    /// Checks that no other program has given the file other tables, after a statement has failed.
    private func checkModel(_ connection: Connection) throws {
        guard try StoreState.read(connection).model != modelHash else { return }
        throw StoreError(
            .storeChanged,
            "Can't read \(path) because another program has upgraded it. Open it again.",
            path: path)
    }

    /// Runs a body in one write transaction of a class.
    func write<Transaction: WriteTransaction, Result>(
        in type: Transaction.Type, _ body: (Transaction) throws -> Result
    ) throws -> Result {
        guard !options.isReadOnly else {
            if let pendingStage { throw pendingStage.error("write", path: path) }
            let cause = access.hindrance ?? "it was opened for reading"
            throw StoreError(.readOnly, "Can't write \(path) because \(cause).", path: path)
        }
        return try translating("write") {
            let result = try writer.withLock { connection, head in
                let (result, transaction) = try recordingWrites { record in
                    try connection.transaction(.immediate) {
                        try checkPlace(of: connection)
                        let transaction = try Transaction(
                            connection, store: self, replicas: knownReplicas.present,
                            after: head.take())
                        let result = try body(transaction)
                        try transaction.finish()
                        record(transaction.written)
                        return (result, transaction)
                    }
                }
                transaction.head.take(transaction.state, on: connection)
                head = transaction.head
                checkpointer?.follow(connection)
                knownReplicas.replace(by: transaction.replicas)
                return result
            }
            if environment.isInMemory { MemoryCommits.shared.tell(path, except: identity) }
            return result
        }
    }

    /// Checks that the file is still at its path: what is written to another one is lost when the
    /// store is closed.
    private func checkPlace(of connection: Connection) throws {
        if connection.hasMoved { throw Self.moved(path, "write") }
    }

    /// Runs a transaction, and records what it writes to the history before any reader can see it.
    private func recordingWrites<Result>(
        _ body: ((HistoryWrites) -> Void) throws -> Result
    ) throws -> Result {
        var recorded = HistoryWrites()
        do {
            return try body { writes in
                recorded = writes
                ownWrites.add(writes)
            }
        } catch {
            ownWrites.remove(recorded)
            throw error
        }
    }

    /// Looks at the head of the file without reading it, if possible.
    ///
    /// - Parameters:
    ///   - asLeft: True for the head that the last transaction of this opening has left, though
    ///     another connection may have written since.
    ///   - known: Computes the result from the head; `nil` if something in it must be read.
    ///   - read: Reads that into the head in one transaction.
    func withHead<Result>(
        asLeft: Bool, _ known: (StoreHead) throws -> Result?,
        reading read: (StoreHead, Connection) throws -> Void
    ) throws -> Result? {
        try translating("read") {
            try writer.withLockIfFree { connection, head in
                if !asLeft { try connection.lookAtVersion() }
                let present = asLeft ? head : head?.present(on: connection)
                if let present, let result = try known(present) { return result }
                let full = try connection.transaction(.deferred) {
                    try connection.lookAtVersion()
                    let full =
                        try head?.present(on: connection) ?? StoreHead(StoreState.read(connection))
                    try read(full, connection)
                    return full
                }
                full.keepVersion(of: connection)
                head = full
                return try known(full)
            } ?? nil
        }
    }

    /// The state that the last transaction of this opening has left; `nil` if it is not known, or
    /// if another thread writes.
    var lastState: StoreState? { writer.withLockIfFree { _, head in head?.state } ?? nil }

    /// Uses the writing connection outside a transaction.
    func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try translating("write") {
            try writer.withLock { connection, _ in
                defer { checkpointer?.follow(connection) }
                return try body(connection)
            }
        }
    }

    private func translating<Result>(_ verb: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            let error = StoreError.translated(error, doing: verb, path: path)
            guard isClosed.load(ordering: .acquiring),
                let misuse = (error as? StoreError)?.underlying as? SQLiteError,
                misuse.code == .misuse
            else { throw error }
            throw StoreError(
                .closed, "Can't \(verb) \(path) because the store was closed.", path: path,
                underlying: misuse)
        }
    }
}

extension Store {
    /// The replica ID under which the file saves now.
    package var replica: ReplicaID {
        get throws {
            try read { reader in
                let ordinal = try StoreState.read(reader.connection).ordinal
                guard let replica = try reader.replicas()[ordinal] else {
                    throw StoreError(
                        .corrupt,
                        "Can't use \(path) because its replica ID is missing. Restore a backup.")
                }
                return replica
            }
        }
    }

    /// The identity of a record, which is the same on every replica.
    package func recordID(of id: LocalID) throws -> RecordID? {
        if let known = knownReplicas.record(id) { return known }
        return try refreshedReplicas().record(id)
    }

    /// The local ID of a record.
    ///
    /// - Returns: `nil` if this file does not know the record's replica.
    package func localID(of record: RecordID) throws -> LocalID? {
        if let known = knownReplicas.localID(of: record) { return known }
        return try refreshedReplicas().localID(of: record)
    }

    /// Reads the replicas again, because another process may have added some.
    ///
    /// The read is not counted: it is no part of what a context does if a decoder asks every open
    /// store for an ID.
    private func refreshedReplicas() throws -> ReplicaTable {
        let replicas = try read(isCounted: false) { try $0.replicas() }
        knownReplicas.add(replicas)
        return replicas
    }
}
