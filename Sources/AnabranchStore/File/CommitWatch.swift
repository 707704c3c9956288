import AnabranchSQLite
import Synchronization

/// A connection of its own that notices commits to a store's file, by this and by other processes.
///
/// A question costs a look at the index of SQLite's write-ahead log, which is in shared memory. On
/// Linux no question is needed while the file is not written.
package final class CommitWatch: Sendable {
    private struct State {
        let connection: Connection
        var version: SQLiteValue?
    }

    private let state: Mutex<State>
    private let file: FileWatch?

    /// Begins to watch a store.
    ///
    /// - Parameter tell: Called on another thread after the file has been written; see ``arm()``.
    /// - Throws: `SQLiteError` if the file can't be opened.
    package init(of store: Store, _ tell: @escaping @Sendable () -> Void = {}) throws {
        let connection = try Connection(
            path: store.path, mode: .readOnly, vfs: store.environment.vfs)
        // A connection that has read keeps the file of the log in place.
        _ = try connection.firstValue("PRAGMA data_version")
        state = Mutex(State(connection: connection))
        file = FileWatch(store.path + "-wal", tell)
    }

    /// Returns true if something was committed since the last call, and in the first call.
    ///
    /// - Throws: `SQLiteError` if the file can't be read.
    package func hasChanged() throws -> Bool {
        try state.withLock { state in
            let version = try state.connection.firstValue("PRAGMA data_version")
            defer { state.version = version }
            return version != state.version
        }
    }

    /// Requests one report of the next commit, or of one since the last report.
    ///
    /// - Returns: False if this system does not report commits, so that the caller has to ask from
    ///   time to time.
    package func arm() -> Bool { file?.arm() ?? false }
}
