import AnabranchSQLite

/// The knowledge of a file that a write transaction leaves for the next one.
///
/// It is true until another connection has written, which the file's version shows within the next
/// transaction. That reads everything again then.
struct StoreHead {
    let state: StoreState
    let log: KnownLog
    /// True if it is known that there are no deferred rows.
    let hasNoDeferredRows: Bool
}

/// The head that the last write transaction of a connection has left, with the version of the file.
struct KeptHead {
    private var kept: (head: StoreHead, version: UInt32)?

    /// The head within a transaction that has begun to write; `nil` if it has to be read.
    func present(on connection: Connection) -> StoreHead? {
        guard let kept, kept.version == connection.fileVersion else { return nil }
        return kept.head
    }

    /// Keeps the head of a transaction that has been committed.
    mutating func keep(_ head: StoreHead, on connection: Connection) {
        kept = connection.fileVersion.map { (head, $0) }
    }
}
