import AnabranchSQLite
import Synchronization
import TestSupport

/// The point at which one process dies next, and whether the power fails with it.
///
/// The point is right before or right after a commit, or between two operations on the disk. After
/// a death before a commit, the file has nothing of the transaction. After a death behind a commit,
/// it has the whole transaction, although the caller gets no result, unless the power failed before
/// a flush. Between the two, another connection looks at the file.
final class CrashPlan: Sendable {
    enum Point: Hashable, Sendable {
        case beforeCommit, afterCommit
        /// The process dies after this many operations that change the disk.
        case operation(Int)
    }

    struct Death: Hashable, Sendable {
        var point: Point
        var losesPower: Bool
    }

    struct Crash: Error {}

    private struct State {
        var armed: Death?
        var process: SimulatedProcess
    }

    private let state: Mutex<State>
    /// The check that runs while a transaction is about to commit.
    private let look: @Sendable () -> Void

    init(_ process: SimulatedProcess, looking look: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(process: process))
        self.look = look
    }

    func arm(_ death: Death?) {
        state.withLock { state in
            state.armed = death
            if case .operation(let count)? = death?.point {
                state.process.dieAfter(count)
            } else {
                state.process.dieAfter(nil)
            }
        }
    }

    /// The way in which the process has died; `nil` while it lives.
    var death: Death? {
        state.withLock { $0.process.isDead ? $0.armed : nil }
    }

    /// Continues with a new process, for which no death is planned.
    func begin(_ process: SimulatedProcess) {
        state.withLock { $0 = State(armed: nil, process: process) }
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
            guard state.armed?.point == point, !state.process.isDead else { return }
            state.process.die()
            throw Crash()
        }
    }
}

extension CrashPlan.Death {
    /// Returns a death at a commit or at one of the operations around the next commits.
    static func random(_ world: SimulatedWorld) -> Self {
        let point: CrashPlan.Point =
            switch world.number(0..<4) {
            case 0: .beforeCommit
            case 1: .afterCommit
            default: .operation(world.number(0..<40))
            }
        return Self(point: point, losesPower: world.oneIn(2))
    }
}
