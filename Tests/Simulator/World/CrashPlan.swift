import AnabranchSQLite
import Synchronization
import TestSupport

/// Where one process dies next: right before or right after a commit, or between two operations
/// on its disk; and whether the power goes with it.
///
/// Before a commit, nothing of the transaction is there afterwards; after it, all of it is, though
/// its caller never learns of it, unless the power was lost before a flush. In between, others
/// look at the file.
final class CrashPlan: Sendable {
    enum Point: Hashable, Sendable {
        case beforeCommit, afterCommit
        /// After as many operations that change the disk.
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
    /// Looks at the file while a transaction is about to commit.
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

    /// How the process has died; `nil` while it lives.
    var death: Death? {
        state.withLock { $0.process.isDead ? $0.armed : nil }
    }

    /// Goes on with a new process, for which no death is planned.
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
    /// At a commit, or at one of the operations around the next ones.
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
