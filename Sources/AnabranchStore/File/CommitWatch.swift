import AnabranchSQLite
import Synchronization

/// A connection of its own that notices commits to a store's file, by this and by other processes.
///
/// A question costs a look at the index of SQLite's write-ahead log, which is in shared memory.
package final class CommitWatch: Sendable {
    private struct State {
        let connection: Connection
        var version: SQLiteValue?
    }

    private let state: Mutex<State>

    /// - Throws: `SQLiteError` if the file can't be opened.
    package init(of store: Store) throws {
        let connection = try Connection(
            path: store.path, mode: .readOnly, vfs: store.environment.vfs)
        state = Mutex(State(connection: connection))
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
}
