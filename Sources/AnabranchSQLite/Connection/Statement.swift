public import CSQLite

/// One prepared statement of a connection.
///
/// It keeps its connection alive, but not the reverse. Releasing it resets it at once; it is then
/// finalized, or returns to the cache with its bindings cleared. After ``Connection/close()``
/// binding and stepping throw, and columns read as NULL. One thread at a time may use it, as its
/// connection.
///
/// Bind values, then call ``run()``, or call ``step()`` until it returns `false` and read columns
/// after each `true`. The statement is reset when `step` returns `false` or throws, and may then be
/// bound and stepped again. Bindings stay until they are replaced, except for those of
/// ``bind(_:ownedBy:at:)``, which are for one run.
public final class Statement {
    /// The statement; `nil` after the connection was closed, for which SQLite's functions return
    /// NULL.
    ///
    /// It is unchecked because the checks of exclusive access cost more than the calls they guard.
    /// One thread at a time uses the statement, and no call here keeps an access open.
    @exclusivity(unchecked) @usableFromInline var handle: OpaquePointer?

    /// True between the first `step` and the reset.
    @exclusivity(unchecked) @usableFromInline var isRunning = false

    /// The number of rows returned since the first `step`.
    @exclusivity(unchecked) @usableFromInline var rowCount = 0

    /// The memory of short texts and blobs while they are bound, `shortLength` bytes a parameter.
    @exclusivity(unchecked) @usableFromInline
    var shortPlaces: UnsafeMutableRawBufferPointer

    /// The owners of large values that are bound without a copy, with their parameters.
    @exclusivity(unchecked) var lent: [(index: Int32, owner: AnyObject)] = []

    /// The connection of the statement.
    public let connection: Connection
    private let prepared: PreparedStatement
    let cacheEntry: CachedStatement?

    /// The connection's list of its statements, which closing uses. A statement leaves the list
    /// when it is released, so that neither neighbour dangles.
    @exclusivity(unchecked) private var previous: Unmanaged<Statement>?
    @exclusivity(unchecked) private(set) var next: Unmanaged<Statement>?

    init(
        _ prepared: PreparedStatement, on connection: Connection,
        cacheEntry: CachedStatement? = nil
    ) {
        handle = prepared.handle
        self.prepared = prepared
        self.connection = connection
        self.cacheEntry = cacheEntry
        shortPlaces = cacheEntry?.shortPlaces ?? UnsafeMutableRawBufferPointer(start: nil, count: 0)
        next = connection.firstStatement
        let own = Unmanaged.passUnretained(self)
        next?._withUnsafeGuaranteedRef { $0.previous = own }
        connection.firstStatement = own
    }

    deinit {
        next?._withUnsafeGuaranteedRef { $0.previous = previous }
        if let previous {
            previous._withUnsafeGuaranteedRef { $0.next = next }
        } else {
            connection.firstStatement = next
        }
        guard let cacheEntry else {
            countRows()
            sqlite3_finalize(handle)
            return shortPlaces.deallocate()
        }
        // The memory is free for others after the bindings that point to it are cleared.
        defer { cacheEntry.keep(shortPlaces) }
        guard let handle else { return }
        countRows()
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        connection.takeBack(cacheEntry)
    }

    /// The text of the statement, without the text after it.
    public var sql: String {
        handle.flatMap { sqlite3_sql($0) }.map { String(cString: $0) } ?? ""
    }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement {
    /// Advances to the next row.
    ///
    /// - Returns: `false` at the end; the statement is then reset.
    ///
    /// - Throws: ``SQLiteError``; the statement is reset. Outside a transaction it has no effect.
    ///   Inside one the transaction stays open, unless the code is `full`, `ioError`, `noMemory` or
    ///   `interrupt`: then SQLite may have rolled it back.
    @inlinable
    public func step() throws -> Bool {
        if !isRunning { try begin() }
        let status = sqlite3_step(handle)
        guard status == SQLITE_ROW else {
            try finish(status)
            return false
        }
        rowCount &+= 1
        return true
    }

    /// Runs to the end, ignores any rows, and resets.
    ///
    /// - Throws: Errors as ``step()`` does.
    @inlinable
    public func run() throws {
        if !isRunning { try begin() }
        var status = sqlite3_step(handle)
        while status == SQLITE_ROW {
            rowCount &+= 1
            status = sqlite3_step(handle)
        }
        try finish(status)
    }

    /// Resets the statement to before its first row. Bindings stay.
    public func reset() {
        guard isRunning else { return }
        isRunning = false
        countRows()
        resetHandle()
    }

    private func resetHandle() {
        sqlite3_reset(handle)
        if !lent.isEmpty { giveBack() }
    }

    /// Releases the values that were bound for one run.
    private func giveBack() {
        for (index, _) in lent { sqlite3_bind_null(handle, index) }
        lent.removeAll()
    }

    @usableFromInline
    func begin() throws {
        guard handle != nil else { throw SQLiteError.closed(action: "run a statement") }
        try connection.willRun(prepared)
        isRunning = true
    }

    /// Ends the run after its last step returned `status`.
    @usableFromInline
    func finish(_ status: Int32) throws {
        isRunning = false
        countRows()
        guard status != SQLITE_DONE else { return resetHandle() }
        let text = sql
        let error = SQLiteError(
            status: status, database: connection.database,
            action: "run \(SQLiteError.quoted(text))", sql: text,
            underlying: connection.takeFunctionFailure())
        resetHandle()
        throw error
    }

    private func countRows() {
        guard rowCount != 0 else { return }
        connection.statistics.rows &+= rowCount
        rowCount = 0
    }

    /// Separates the statement from its connection, which is closing.
    func detach() {
        guard let handle else { return }
        isRunning = false
        countRows()
        self.handle = nil
        if cacheEntry == nil { sqlite3_finalize(handle) }
    }
}
