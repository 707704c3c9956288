import CSQLite
import Synchronization

/// Stops what a connection is running, from any thread.
///
/// The statement that is running throws `interrupt`; a write within a transaction rolls the whole
/// transaction back. Nothing happens when none is running or the connection is closed.
public final class Interrupter: Sendable {
    /// The address of the `sqlite3`, 0 when it is closed. The lock keeps it open during the call.
    private let address: Mutex<UInt>

    init(_ database: OpaquePointer) {
        address = Mutex(UInt(bitPattern: database))
    }

    public func interrupt() {
        address.withLock { address in
            if let database = OpaquePointer(bitPattern: address) { sqlite3_interrupt(database) }
        }
    }

    func invalidate() {
        address.withLock { $0 = 0 }
    }
}
