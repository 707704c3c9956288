package import AnabranchReplication
import Synchronization

/// The replicas of a file, as far as this program has read them.
///
/// They outlive the store: an object ID can be named also after its store is closed.
package final class KnownReplicas: Sendable {
    private let table: Mutex<ReplicaTable>

    init(_ table: ReplicaTable) { self.table = Mutex(table) }

    /// The identity of a record; `nil` if its replica was not read yet.
    package func record(_ id: LocalID) -> RecordID? { table.withLock { $0.record(id) } }

    func localID(of record: RecordID) -> LocalID? { table.withLock { $0.localID(of: record) } }

    var present: ReplicaTable { table.withLock { $0 } }

    /// Takes a table that was read outside a write transaction, unless it is older.
    func add(_ replicas: ReplicaTable) {
        table.withLock { if replicas.count > $0.count { $0 = replicas } }
    }

    /// Takes the table that a write transaction leaves.
    func replace(by replicas: ReplicaTable) { table.withLock { $0 = replicas } }
}
