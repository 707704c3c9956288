import AnabranchProtocol
import AnabranchReplication
import Synchronization

/// A value computed from a zone's whole state, valid as long as the log has the same head.
final class HeadCache<Value: Sendable>: Sendable {
    private let kept = Mutex<(head: LogCursor, value: Value)?>(nil)

    /// The value for a head, computed by a job of the zone if it is not cached.
    ///
    /// - Parameter head: The head of the state that `make` reads.
    ///
    /// - Throws: Errors of `make`; `overloaded` if another job of the zone takes long.
    func value(
        at head: LogCursor, _ jobs: WholeZoneJobs, in zone: ZoneName,
        orMake make: () throws -> Value
    ) throws -> Value {
        if let value = value(at: head) { return value }
        return try jobs.run(in: zone) {
            if let value = value(at: head) { return value }
            let value = try make()
            kept.withLock { $0 = (head, value) }
            return value
        }
    }

    private func value(at head: LogCursor) -> Value? {
        kept.withLock { $0?.head == head ? $0?.value : nil }
    }

    /// Discards the value, because the state has changed though the log has not.
    func forget() { kept.withLock { $0 = nil } }
}
