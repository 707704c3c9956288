import AnabranchReplication
import AnabranchSQLite

/// The knowledge of a file that a write transaction leaves for the next one, and for the next
/// exchange with a zone.
///
/// It is true until another connection has written, which the file's version shows within the next
/// transaction. That reads everything again then. So does the transaction after one that has
/// failed, because that one went on with the log of this head.
final class StoreHead {
    let state: StoreState
    let log: KnownLog
    /// True if it is known that there are no deferred rows.
    let hasNoDeferredRows: Bool
    var tables: KnownTables
    /// The epochs of the entries that the zone holds after the cursor; `nil` if they are not known.
    var epochsAhead: Set<EpochID>?

    /// Creates a head that knows little.
    init(_ state: StoreState) {
        self.state = state
        log = KnownLog(state)
        hasNoDeferredRows = false
        tables = KnownTables()
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
    /// The head that was left, though another connection may have written since.
    private(set) var last: StoreHead?
    private var version: UInt32?

    /// The head within a transaction that has begun to read or to write; `nil` if it has to be
    /// read.
    func present(on connection: Connection) -> StoreHead? {
        version == connection.fileVersion ? last : nil
    }

    /// Takes the head for a transaction that has begun to write. If it fails, no head is left.
    mutating func take(on connection: Connection) -> StoreHead? {
        defer { last = nil }
        return present(on: connection)
    }

    /// Keeps the head of a transaction that has ended.
    mutating func keep(_ head: StoreHead, on connection: Connection) {
        version = connection.fileVersion
        last = version == nil ? nil : head
    }
}

extension Connection {
    /// Notices what other connections have committed until now.
    func lookAtVersion() throws { try cached("PRAGMA data_version").run() }
}
