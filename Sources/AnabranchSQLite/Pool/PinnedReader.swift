import Dispatch

/// A reader that keeps one state of the file: a read transaction that stays open.
///
/// Callers take turns, blocking their thread. While it is open, what is written to the file stays
/// in its log: a checkpoint can't go beyond the state that is read.
public final class PinnedReader: @unchecked Sendable {
    public let path: String
    private let turn = DispatchSemaphore(value: 1)
    // Used by whose turn it is.
    private var connection: Connection?

    /// - Parameter setup: As for ``ConnectionPool``; the state is that at its end.
    /// - Throws: ``SQLiteError``, or what `setup` throws.
    public init(
        path: String, vfs: String? = nil, busyTimeout: Duration = .seconds(5),
        setup: (Connection) throws -> Void = { _ in }
    ) throws {
        self.path = path
        let connection = try Connection(
            path: path, mode: .readOnly, vfs: vfs, busyTimeout: busyTimeout)
        try setup(connection)
        try connection.execute(TransactionKind.deferred.beginSQL)
        // The transaction begins with the first thing that is read.
        try connection.execute("SELECT count(*) FROM sqlite_schema")
        self.connection = connection
    }

    deinit { close() }

    /// Runs `body` with the reader, under the conditions of ``ConnectionPool/read(_:)``.
    ///
    /// - Throws: What `body` throws, and ``SQLiteError`` with code `misuse` once it is closed.
    public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        turn.wait()
        defer { turn.signal() }
        guard let connection else {
            throw SQLiteError.misuse(
                action: "read \u{201C}\(path)\u{201D}", cause: "the pinned reader was closed")
        }
        defer { connection.resetStatements() }
        return try body(connection)
    }

    public var isClosed: Bool {
        turn.wait()
        defer { turn.signal() }
        return connection == nil
    }

    /// Waits for the read that has begun. Closing twice is harmless.
    public func close() {
        turn.wait()
        defer { turn.signal() }
        connection?.close()
        connection = nil
    }
}
