import Dispatch

/// A reader of one state of the file, kept by an open read transaction.
///
/// Callers take turns and block their threads. While it is open, later writes stay in the file's
/// log: a checkpoint cannot go beyond this state.
public final class PinnedReader: @unchecked Sendable {
    /// The path of the file.
    public let path: String
    private let turn = DispatchSemaphore(value: 1)
    // Used only by the caller that has the turn.
    private var connection: Connection?

    /// Opens a connection and keeps the state at the end of `setup`.
    ///
    /// - Parameter setup: Sets up the connection, as for ``ConnectionPool``.
    ///
    /// - Throws: ``SQLiteError``, or an error of `setup`.
    public init(
        path: String, mode: OpenMode = .readOnly, vfs: String? = nil,
        busyTimeout: Duration = .seconds(5),
        setup: (Connection) throws -> Void = { _ in }
    ) throws {
        self.path = path
        let connection = try Connection(path: path, mode: mode, vfs: vfs, busyTimeout: busyTimeout)
        try setup(connection)
        try connection.run(.beginDeferred)
        // SQLite begins the transaction at the first read.
        try connection.execute("SELECT count(*) FROM sqlite_schema")
        self.connection = connection
    }

    deinit { close() }

    /// Runs `body` with the reader, under the conditions of ``ConnectionPool/read(_:)``.
    ///
    /// - Throws: Errors of `body`, and ``SQLiteError`` with code `misuse` after it was closed.
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

    /// True after the reader was closed. It waits for a running read.
    public var isClosed: Bool {
        turn.wait()
        defer { turn.signal() }
        return connection == nil
    }

    /// Waits for a running read and closes the connection. A second call has no effect.
    public func close() {
        turn.wait()
        defer { turn.signal() }
        connection?.close()
        connection = nil
    }
}
