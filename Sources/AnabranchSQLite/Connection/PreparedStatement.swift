import CSQLite

/// A compiled statement and what is known of it.
struct PreparedStatement {
    let handle: OpaquePointer
    let kind: StatementKind
    /// The watched tables that it writes.
    let written: TableSet

    init(_ handle: OpaquePointer, writing written: TableSet) {
        self.handle = handle
        kind = StatementKind(handle)
        self.written = written
    }
}
