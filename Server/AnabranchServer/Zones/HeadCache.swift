import AnabranchReplication
import Synchronization

/// A value computed from a zone's state, valid as long as the log has the same head.
final class HeadCache<Value: Sendable>: Sendable {
    private let kept = Mutex<(head: LogCursor, value: Value)?>(nil)

    /// The value for a head, computed if it is not cached.
    ///
    /// - Parameter head: The head of the state that `make` reads.
    func value(at head: LogCursor, orMake make: () throws -> Value) rethrows -> Value {
        if let kept = kept.withLock({ $0 }), kept.head == head { return kept.value }
        let value = try make()
        kept.withLock { $0 = (head, value) }
        return value
    }

    /// Discards the value, because the state has changed though the log has not.
    func forget() { kept.withLock { $0 = nil } }
}
