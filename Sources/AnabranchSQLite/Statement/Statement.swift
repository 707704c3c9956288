public import CSQLite

/// One prepared statement, lent by its connection until it is released.
///
/// It holds its connection, so it cannot outlive it; the connection does not hold it. Releasing
/// it, at whatever point, resets it at once and returns it to the cache it came from, bindings
/// cleared, or finalizes it. After ``Connection/close()`` binding and stepping throw, and columns
/// read as NULL. Like its connection it belongs to one thread at a time.
///
/// Bind, then either ``run()``, or ``step()`` until it returns `false`, reading columns after each
/// `true`. It is reset when `step` returns `false` or throws and may then be bound and stepped
/// again; bindings stay until they are replaced, but for what ``bind(_:ownedBy:at:)`` lends for one
/// run.
public final class Statement {
    /// `nil` once the connection is closed, which SQLite's readers take as a row of NULLs.
    ///
    /// Unchecked, because the checks of exclusive access cost more than the calls they guard; the
    /// statement is confined to one thread and no call here keeps an access open.
    @exclusivity(unchecked) @usableFromInline var handle: OpaquePointer?

    /// Between the first `step` and the reset.
    @exclusivity(unchecked) @usableFromInline var isRunning = false

    /// Rows returned since the first `step`.
    @exclusivity(unchecked) @usableFromInline var rowCount = 0

    /// Where short texts and blobs stand while they are bound, `shortLength` bytes for each
    /// parameter.
    @exclusivity(unchecked) @usableFromInline
    var shortPlaces = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// What large values stand in that are bound where they are, by their parameters.
    @exclusivity(unchecked) var lent: [(index: Int32, owner: AnyObject)] = []

    public let connection: Connection
    let kind: StatementKind
    let cacheEntry: CachedStatement?

    /// The connection's list of statements that are held, so that closing can find them. A
    /// statement leaves the list when it is released, so neither neighbour ever dangles.
    @exclusivity(unchecked) unowned(unsafe) var previous: Statement?
    @exclusivity(unchecked) unowned(unsafe) var next: Statement?

    init(
        handle: OpaquePointer, kind: StatementKind, connection: Connection,
        cacheEntry: CachedStatement? = nil
    ) {
        self.handle = handle
        self.kind = kind
        self.connection = connection
        self.cacheEntry = cacheEntry
        next = connection.firstStatement
        next?.previous = self
        connection.firstStatement = self
    }

    deinit {
        if let previous { previous.next = next } else { connection.firstStatement = next }
        next?.previous = previous
        // After the bindings, which point there, are gone.
        defer { shortPlaces.deallocate() }
        guard let handle else { return }
        countRows()
        guard let cacheEntry else {
            sqlite3_finalize(handle)
            return
        }
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        connection.takeBack(cacheEntry)
    }

    /// The text that it was prepared from, without what follows the statement.
    public var sql: String {
        handle.flatMap { sqlite3_sql($0) }.map { String(cString: $0) } ?? ""
    }

    /// With the bound values in place of the parameters, for diagnostics.
    public var expandedSQL: String {
        guard let text = handle.flatMap({ sqlite3_expanded_sql($0) }) else { return sql }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement {
    /// Advances to the next row.
    ///
    /// - Returns: `false` at the end; the statement is then reset.
    /// - Throws: ``SQLiteError``; the statement is reset. Outside a transaction nothing of it has
    ///   been done; inside one the transaction stays open, unless the code is `full`, `ioError`,
    ///   `noMemory` or `interrupt`, where SQLite may have rolled it back.
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

    /// Runs to the end, passing over any rows, and resets.
    ///
    /// - Throws: As ``step()``.
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

    /// Back to before the first row. Bindings stay.
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

    /// Lets go of what was bound for one run.
    private func giveBack() {
        for (index, _) in lent { sqlite3_bind_null(handle, index) }
        lent.removeAll()
    }

    @usableFromInline
    func begin() throws {
        guard let handle else { throw SQLiteError.closed(action: "run a statement") }
        try connection.willRun(kind, handle)
        isRunning = true
    }

    /// Ends the run that `status` finished, well or badly.
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

    /// Cuts the statement off its connection, which is closing.
    func detach() {
        guard let handle else { return }
        isRunning = false
        countRows()
        self.handle = nil
        if cacheEntry == nil { sqlite3_finalize(handle) }
    }
}
