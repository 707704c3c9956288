import AnabranchSQLite
import Dispatch
import Synchronization

/// Copies pages of the write-ahead log into the file, on another thread than that of a save.
///
/// SQLite itself does it within the commit that fills the log, so one save of a hundred would take
/// as long as two flushes of the disk. Here a commit only requests it. While saves go on, the log
/// grows during each copy and so never comes to an end at which it could begin anew. Therefore a
/// commit that finds the log long, and nearly all of it copied, copies the rest itself.
final class Checkpointer: Sendable {
    /// The state of the log as far as the commits know it.
    struct State {
        var isRunning = false
        /// The number of pages of the log that need not be copied again.
        var copied = 0
        /// The number of pages that the log had when a commit last copied some itself.
        var copiedHere = 0
    }

    /// The work of a commit on the log.
    enum Step {
        case none, elsewhere, here
    }

    private let store: String
    private let vfs: String?
    private let durability: StoreOptions.Durability
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "anabranch.checkpoints", qos: .utility)
    /// Opened when it is first needed, and used only on the queue.
    nonisolated(unsafe) private var connection: Connection?
    nonisolated(unsafe) private var isClosed = false

    /// The number of new pages after which they are copied: 8 MiB. A save may wait for the flush of
    /// a page of the log that it writes to, which happens once or twice in each copy.
    static let usual = 2000
    /// The number of pages in the log from which a commit may copy the rest: 16 MiB.
    static let long = 4096
    /// The number of pages from which a commit copies all that is there: 64 MiB.
    static let longest = 16_384

    /// Takes over the checkpoints of a connection that writes.
    init(of writer: Connection, vfs: String?, durability: StoreOptions.Durability) throws {
        store = writer.path
        self.vfs = vfs
        self.durability = durability
        try writer.takeOverCheckpoints()
    }

    /// Looks at the log after a commit, while no other thread uses the writing connection.
    ///
    /// A copy that fails is tried again later: until then the log keeps all pages.
    func follow(_ writer: Connection) {
        let pages = writer.logPages
        guard pages >= Self.usual else { return }
        switch state.withLock({ Self.step(&$0, pages) }) {
        case .none: break
        case .here: _ = try? writer.checkpoint(.passive)
        case .elsewhere: queue.async { self.copy(pages) }
        }
    }

    /// Decides what a commit does. As long as a reader needs an old state of the file, copying does
    /// not shorten the log, so the next try waits for more pages.
    static func step(_ state: inout State, _ pages: Int) -> Step {
        // The log has begun anew.
        if pages < max(state.copied, state.copiedHere) { (state.copied, state.copiedHere) = (0, 0) }
        guard !state.isRunning else { return .none }
        let rest = pages - state.copied
        let isDue = pages >= longest || pages >= long && rest < usual * 2
        if isDue, pages - state.copiedHere >= usual {
            (state.copied, state.copiedHere) = (pages, pages)
            return .here
        }
        guard rest >= usual else { return .none }
        state.isRunning = true
        return .elsewhere
    }

    private func copy(_ pages: Int) {
        let copied = try? checkpoint()
        state.withLock { state in
            state.isRunning = false
            state.copied = max(copied ?? pages, pages)
        }
    }

    private func checkpoint() throws -> Int {
        guard !isClosed else { return 0 }
        let connection = try connection ?? open()
        self.connection = connection
        return try connection.checkpoint(.passive).checkpointedPages
    }

    private func open() throws -> Connection {
        let connection = try Connection(path: store, mode: .readWrite, vfs: vfs)
        try connection.configureFlushes(durability)
        // A connection that has not read does not know yet that the file has a log.
        _ = try connection.firstValue("PRAGMA schema_version")
        return connection
    }

    /// Waits for a running copy and closes the connection.
    func close() {
        queue.sync {
            isClosed = true
            connection?.close()
            connection = nil
        }
    }
}
