import AnabranchReplication
import AnabranchSQLite

/// The knowledge of a file that a write transaction leaves for the next one, and for the next
/// exchange with a zone.
///
/// It is true until another connection has written, which the file's version shows within the next
/// transaction. That reads everything again then. So does the transaction after one that has
/// failed, because that one has changed the head.
final class StoreHead {
    @exclusivity(unchecked) private(set) var state: StoreState
    let log: KnownLog
    /// True if there may be deferred rows; `nil` if that was not looked up.
    @exclusivity(unchecked) var hasDeferredRows: Bool?
    @exclusivity(unchecked) var tables = KnownTables()
    /// The epochs of the entries that the zone holds after the cursor; `nil` if they are not known.
    var epochsAhead: Set<EpochID>?
    private var version: UInt32?

    /// Creates a head that knows little.
    init(_ state: StoreState) {
        self.state = state
        log = KnownLog(state)
    }

    /// Takes what a transaction of a connection has committed.
    func take(_ state: StoreState, on connection: Connection) {
        self.state = state
        tables.forget(connection.takeWrittenTables())
        if hasDeferredRows == true { hasDeferredRows = nil }
        let isPlaced = log.greatestPlace.map { $0 <= state.cursor?.position ?? 0 } ?? false
        epochsAhead = isPlaced ? [] : nil
        keepVersion(of: connection)
    }

    /// Notes the version of the file after a transaction.
    func keepVersion(of connection: Connection) { version = connection.fileVersion }

    /// The head, within a transaction that has begun to read or to write; `nil` if another
    /// connection has written since.
    func present(on connection: Connection) -> StoreHead? {
        version != nil && version == connection.fileVersion ? self : nil
    }
}

extension Connection {
    /// Notices what other connections have committed until now.
    func lookAtVersion() throws { try cached("PRAGMA data_version").run() }
}
