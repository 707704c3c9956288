import AnabranchSQLite
import Synchronization

/// Where one process dies next: right before or right after a commit.
///
/// Before, nothing of the transaction is there afterwards; after, all of it is, though its
/// caller never learns of it. In between, others look at the file.
final class CrashPlan: Sendable {
    enum Point: Sendable { case beforeCommit, afterCommit }

    struct Crash: Error {}

    private struct State {
        var armed: Point?
        var crashed: Point?
    }

    private let state = Mutex(State())
    /// Looks at the file while a transaction is about to commit.
    private let look: @Sendable () -> Void

    init(looking look: @escaping @Sendable () -> Void = {}) { self.look = look }

    func arm(_ point: Point?) { state.withLock { $0.armed = point } }

    /// Where the process has died since this was last asked.
    func takeCrash() -> Point? {
        state.withLock { state in
            defer { state.crashed = nil }
            return state.crashed
        }
    }

    var faults: TransactionFaults {
        TransactionFaults(
            beforeCommit: { [self] in
                look()
                try die(at: .beforeCommit)
            },
            afterCommit: { [self] in try die(at: .afterCommit) })
    }

    private func die(at point: Point) throws {
        try state.withLock { state in
            // A dead process commits nothing more, whatever its caller still tries.
            if point == .beforeCommit, state.crashed != nil { throw Crash() }
            guard state.armed == point else { return }
            state = State(armed: nil, crashed: point)
            throw Crash()
        }
    }
}
