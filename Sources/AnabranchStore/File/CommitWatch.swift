import AnabranchSQLite
import Synchronization

/// Notices commits to a store's file, by this and by other processes.
///
/// On Linux the kernel reports that the file was written, so no question is needed while it is not.
/// Commits to a store in memory are reported by the other openings of the store. The watch keeps
/// neither the store nor its file open before the first call of ``hasChanged()``.
package final class CommitWatch: Sendable {
    private struct State {
        /// The connection of ``hasChanged()``.
        var connection: Connection?
        var version: SQLiteValue?
        var file: FileWatch?
    }

    private let state: Mutex<State>
    private let path: String
    private let vfs: String?
    private let mode: OpenMode
    /// The number of the listener to commits in memory; `nil` for a file.
    private let memoryListener: Int?
    private let tell: @Sendable () -> Void

    private var logPath: String { path + "-wal" }

    /// Begins to watch a store, which has to be open as long as the watch is used. An open store
    /// keeps the file of the log in its place.
    ///
    /// - Parameter tell: Called on another thread after the file has been written; see ``arm()``.
    ///   For a store in memory it is called after each commit of another opening of the store.
    package init(of store: Store, _ tell: @escaping @Sendable () -> Void = {}) {
        path = store.path
        vfs = store.environment.vfs
        mode = store.access.readingMode
        self.tell = tell
        let isInMemory = store.environment.isInMemory
        memoryListener =
            isInMemory ? MemoryCommits.shared.add(store.path, of: store.identity, tell) : nil
        state = Mutex(State(file: isInMemory ? nil : FileWatch(store.path + "-wal", tell)))
    }

    deinit {
        if let memoryListener { MemoryCommits.shared.remove(memoryListener, path) }
    }

    /// Returns true if something was committed since the last call, and in the first call.
    ///
    /// A question costs a look at the index of SQLite's write-ahead log, which is in shared memory.
    ///
    /// - Throws: `SQLiteError` if the file can't be read.
    package func hasChanged() throws -> Bool {
        try state.withLock { state in
            let connection =
                try state.connection ?? Connection(path: path, mode: mode, vfs: vfs)
            state.connection = connection
            let version = try connection.firstValue("PRAGMA data_version")
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
        // Nothing changes a file that is read without its helper files.
        guard memoryListener == nil, mode != .immutable else { return true }
        let isOther: Bool? = state.withLock { state in
            if state.file?.arm() ?? false { return false }
            state.file = FileWatch(logPath, tell)
            return state.file.map { _ in true }
        }
        if isOther == true { tell() }
        return isOther != nil
    }
}
