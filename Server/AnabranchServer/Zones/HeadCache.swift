import AnabranchReplication
import Synchronization

/// What was worked out for a zone's state, good for as long as the log has the same head.
final class HeadCache<Value: Sendable>: Sendable {
    private let kept = Mutex<(head: LogCursor, value: Value)?>(nil)

    /// - Parameter head: Of the state that `make` looks at.
    func value(at head: LogCursor, orMake make: () throws -> Value) rethrows -> Value {
        if let kept = kept.withLock({ $0 }), kept.head == head { return kept.value }
        let value = try make()
        kept.withLock { $0 = (head, value) }
        return value
    }

    /// The state has changed though the log has not.
    func forget() { kept.withLock { $0 = nil } }
}
