import CSQLite
import Synchronization

/// Stops the running statement of a connection from any thread.
///
/// The statement throws `interrupt`; a write within a transaction rolls the whole transaction back.
/// There is no effect if no statement is running or the connection is closed.
public final class Interrupter: Sendable {
    /// The address of the `sqlite3`, 0 after it is closed. The lock keeps it open during the call.
    private let address: Mutex<UInt>

    init(_ database: OpaquePointer) {
        address = Mutex(UInt(bitPattern: database))
    }

    /// Stops the running statement.
    public func interrupt() {
        address.withLock { address in
            if let database = OpaquePointer(bitPattern: address) { sqlite3_interrupt(database) }
        }
    }

    func invalidate() {
        address.withLock { $0 = 0 }
    }
}
