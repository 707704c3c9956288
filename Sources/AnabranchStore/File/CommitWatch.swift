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
        var file: FileWatch?
    }

    private let state: Mutex<State>
    private let path: String
    private let tell: @Sendable () -> Void

    /// Begins to watch a store.
    ///
    /// - Parameter tell: Called on another thread after the file has been written; see ``arm()``.
    /// - Throws: `SQLiteError` if the file can't be opened.
    package init(of store: Store, _ tell: @escaping @Sendable () -> Void = {}) throws {
        let connection = try Connection(
            path: store.path, mode: .readOnly, vfs: store.environment.vfs)
        // A connection that has read keeps the file of the log in place.
        _ = try connection.firstValue("PRAGMA data_version")
        path = store.path + "-wal"
        self.tell = tell
        state = Mutex(State(connection: connection, file: FileWatch(path, tell)))
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
    /// The report comes when the pages of the commit are written. It may be seen only later,
    /// because SQLite flushes the pages before it shows them to readers.
    ///
    /// If the file of the log was removed and there is another one at its path, that one is watched
    /// from now on. What was committed meanwhile is not known, so a report follows at once.
    ///
    /// - Returns: False if this system does not report commits, or if there is no file at the
    ///   path, so that the caller has to ask from time to time.
    package func arm() -> Bool {
        let isOther: Bool? = state.withLock { state in
            if state.file?.arm() ?? false { return false }
            state.file = FileWatch(path, tell)
            return state.file.map { _ in true }
        }
        if isOther == true { tell() }
        return isOther != nil
    }
}
