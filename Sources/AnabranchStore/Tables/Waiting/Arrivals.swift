import AnabranchReplication

/// The change sets that one write transaction has applied, for others that wait for them.
///
/// The list belongs to the transaction, not to an operation. A new operation begins if the log is
/// rewritten, and a change set that waits must not miss its cause because of that.
final class Arrivals {
    /// Applied change sets. The ones that wait for them have not been checked yet.
    private var sets: [(dot: Dot, origin: Digest)] = []
    /// The number of waiting change sets that turned out to be part of a snapshot.
    private(set) var beneathSnapshotCount = 0
    /// True if change sets were renamed or restamped since the waiting ones were checked.
    private(set) var hasRewritten = false

    func add(_ dot: Dot, _ origin: Digest) { sets.append((dot, origin)) }

    func markBeneathSnapshot() { beneathSnapshotCount += 1 }

    func markRewritten() { hasRewritten = true }

    func forgetRewriting() { hasRewritten = false }

    /// The last one that was not taken yet.
    func takeLast() -> (dot: Dot, origin: Digest)? { sets.popLast() }
}
