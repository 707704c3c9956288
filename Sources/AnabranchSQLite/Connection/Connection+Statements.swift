import CSQLite

extension Connection {
    /// Compiles one statement, which is finalized when it is released.
    ///
    /// - Throws: ``SQLiteError`` with the offset of the wrong token; `misuse` if `sql` contains no
    ///   statement or more than one.
    public func prepare(_ sql: String) throws -> Statement {
        Statement(try compile(sql, isPersistent: false), on: self)
    }

    /// Compiles one statement like ``prepare(_:)`` and keeps it for later calls with the same text.
    ///
    /// The caller alone uses the statement until it is released; then it is reset, its bindings are
    /// cleared, and it returns to the cache. Meanwhile another caller gets a new statement.
    public func cached(_ sql: String) throws -> Statement {
        let key = StatementText(text: sql)
        if let entry = cache.entry(for: key) {
            guard !entry.isLent else { return try prepare(sql) }
            entry.isLent = true
            return Statement(entry.prepared, on: self, cacheEntry: entry)
        }
        let prepared = try compile(sql, isPersistent: true)
        let entry = cache.insert(key, prepared)
        trimCache()
        return Statement(prepared, on: self, cacheEntry: entry)
    }

    /// Runs a script of any number of statements and ignores their rows.
    ///
    /// - Throws: ``SQLiteError`` of the first statement that fails. If it does not compile, the
    ///   error has the script's text from this statement on. The statements before it have taken
    ///   effect: use a transaction to run all or none.
    public func execute(_ sql: String) throws {
        try checkText(sql)
        var rest = sql
        try rest.withUTF8 { text in
            var position = 0
            while position < text.count {
                let tail = UnsafeBufferPointer(rebasing: text[position...])
                let (prepared, length) = try compile(tail, isPersistent: false)
                position += length
                if let prepared { try Statement(prepared, on: self).run() }
            }
        }
    }

    /// Counts a statement that is about to take its first step.
    func willRun(_ statement: PreparedStatement) throws {
        if functionFailure != nil { functionFailure = nil }
        switch statement.kind {
        case .select: statistics.selects &+= 1
        case .write:
            if faults != nil { try meetFirstWrite() }
            statistics.writes &+= 1
            writtenTables.formUnion(statement.written)
        case .other: statistics.others &+= 1
        }
        if let onStatement, let sql = sqlite3_sql(statement.handle) {
            onStatement(String(cString: sql))
        }
    }

    private func meetFirstWrite() throws {
        guard isInTransaction, !hasWritten else { return }
        hasWritten = true
        try faults?.beforeFirstWrite?()
    }

    /// Accepts a cached statement that its borrower has released, reset and without bindings.
    func takeBack(_ entry: CachedStatement) {
        entry.isLent = false
        trimCache()
    }

    private func trimCache() {
        while let entry = cache.evict() { sqlite3_finalize(entry.prepared.handle) }
    }

    /// Resets every statement that has started and not ended.
    func resetStatements() { forEachStatement { $0.reset() } }

    /// Calls the body for each statement, none of which it may release.
    func forEachStatement(_ body: (Statement) -> Void) {
        var statement = firstStatement
        while let current = statement {
            statement = current._withUnsafeGuaranteedRef {
                body($0)
                return $0.next
            }
        }
    }
}

extension Connection {
    private func checkText(_ sql: String) throws {
        var text = sql
        guard text.withUTF8({ csqlite_has_nul($0.baseAddress, $0.count) == 0 }) else {
            throw SQLiteError.misuse(
                action: "prepare \(SQLiteError.quoted(sql))", cause: "SQL cannot contain a NUL",
                sql: sql)
        }
    }

    func compile(_ sql: String, isPersistent: Bool) throws -> PreparedStatement {
        try checkText(sql)
        var text = sql
        return try text.withUTF8 { text in
            let (prepared, length) = try compile(text, isPersistent: isPersistent)
            guard let prepared else { throw notOneStatement(sql, "it holds no statement") }
            let rest = text[length...].drop { StatementKind.isSpace($0) }
            if !rest.isEmpty, holdsStatement(UnsafeBufferPointer(rebasing: rest)) {
                sqlite3_finalize(prepared.handle)
                throw notOneStatement(sql, "it holds more than one statement")
            }
            return prepared
        }
    }

    /// Compiles the first statement of `text`.
    ///
    /// - Returns: The statement, `nil` if there were only spaces and comments, and the number of
    ///   bytes read.
    private func compile(
        _ text: UnsafeBufferPointer<UInt8>, isPersistent: Bool
    ) throws -> (statement: PreparedStatement?, length: Int) {
        let database = try openDatabase(to: "prepare a statement")
        guard let start = text.baseAddress else { return (nil, 0) }
        tablesInPreparation = []
        var handle: OpaquePointer?
        var length = 0
        let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let status = start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
            var tail: UnsafePointer<CChar>?
            let status = sqlite3_prepare_v3(
                database, start, Int32(clamping: text.count), flags, &handle, &tail)
            length = tail.map { $0 - start } ?? text.count
            return status
        }
        guard status == SQLITE_OK else {
            let sql = String(decoding: text, as: UTF8.self)
            throw SQLiteError(
                status: status, database: database, action: "prepare \(SQLiteError.quoted(sql))",
                sql: sql)
        }
        guard let handle else { return (nil, length) }
        statistics.preparations &+= 1
        return (PreparedStatement(handle, writing: tablesInPreparation), length)
    }

    /// Returns true if the text contains more than comments.
    private func holdsStatement(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let (prepared, _) = try? compile(text, isPersistent: false) else { return true }
        guard let prepared else { return false }
        sqlite3_finalize(prepared.handle)
        return true
    }

    private func notOneStatement(_ sql: String, _ cause: String) -> SQLiteError {
        .misuse(action: "prepare \(SQLiteError.quoted(sql))", cause: cause, sql: sql)
    }
}
