import AnabranchReplication
import AnabranchSQLite

/// The knowledge of a file that a write transaction leaves for the next one, and for the next
/// exchange with a zone.
///
/// It is true until another connection has written, which the file's version shows within the next
/// transaction. That reads everything again then.
struct StoreHead {
    let state: StoreState
    var log: KnownLog
    /// True if it is known that there are no deferred rows.
    var hasNoDeferredRows = false
    var tables = KnownTables()
    /// The epochs of the entries that the zone holds after the cursor; `nil` if they are not known.
    var epochsAhead: Set<EpochID>?

    /// Reads a head that knows little, within a transaction.
    init(reading connection: Connection) throws {
        state = try StoreState.read(connection)
        log = KnownLog(state)
    }

    init(state: StoreState, log: KnownLog, hasNoDeferredRows: Bool, tables: KnownTables) {
        self.state = state
        self.log = log
        self.hasNoDeferredRows = hasNoDeferredRows
        self.tables = tables
        if let place = log.greatestPlace, place <= state.cursor?.position ?? 0 { epochsAhead = [] }
    }
}

/// The head that the last transaction of a connection has left, with the version of the file.
struct KeptHead {
    private var kept: (head: StoreHead, version: UInt32)?

    /// The head that was left, though another connection may have written since.
    var last: StoreHead? { kept?.head }

    /// The head within a transaction that has begun to read or to write; `nil` if it has to be
    /// read.
    func present(on connection: Connection) -> StoreHead? {
        guard let kept, kept.version == connection.fileVersion else { return nil }
        return kept.head
    }

    /// Keeps the head of a transaction that has ended.
    mutating func keep(_ head: StoreHead, on connection: Connection) {
        kept = connection.fileVersion.map { (head, $0) }
    }
}

extension Connection {
    /// Notices what other connections have committed until now.
    func lookAtVersion() throws { try cached("PRAGMA data_version").run() }
}
