import Synchronization

/// Bounds the calls that run at once and those that wait for one of them to end, for all zones
/// together and for each zone.
///
/// A caller beyond the bounds is turned away at once, so a slow hook holds only few of the threads
/// that serve requests. One zone has at most half of the room, so the hook answers for other zones
/// while it is slow for that one. The zones of waiting callers take turns, except that a zone
/// without room lets the others pass.
final class CallGate: Sendable {
    /// A caller that waits for its turn.
    private final class Waiter: Sendable {
        let turn = Signal()
        /// True if its turn never comes.
        let isTurnedAway = Atomic(false)
    }

    private struct State {
        var calls: FairQueue<Waiter>
        var isClosed = false
    }

    private let state: Mutex<State>
    private let running: Int

    /// Creates a gate without callers.
    ///
    /// - Parameters:
    ///   - running: The greatest number of calls at once.
    ///   - waiting: The greatest number of callers that wait.
    init(running: Int, waiting: Int) {
        self.running = running
        state = Mutex(State(calls: FairQueue(room: running, limit: waiting, quarters: 2)))
    }

    /// The number of callers that wait for their turn.
    var waitingCount: Int { state.withLock { $0.calls.waitingCount } }

    /// Runs a call when there is room for it.
    ///
    /// - Parameters:
    ///   - zone: The zone that the call is about.
    ///   - timeout: The greatest time to wait for room.
    ///
    /// - Throws: The error of the call, or a failure if there is no room.
    func run<Result>(
        for zone: String, within timeout: Duration,
        _ call: () throws(ValidationFailure) -> Result
    ) throws(ValidationFailure) -> Result {
        let purpose = JobPurpose(zone: zone)
        try enter(purpose, within: timeout)
        defer { leave(purpose) }
        return try call()
    }

    private func enter(
        _ purpose: JobPurpose, within timeout: Duration
    ) throws(ValidationFailure) {
        let waiter = Waiter()
        switch state.withLock({ admit(waiter, purpose, in: &$0) }) {
        case .running: return
        case .closed: throw ValidationFailure.isStopping
        case .none: throw ValidationFailure("too many pushes wait for it")
        case .waiting: break
        }
        // If the turn has come just now, the caller does not wait any more.
        if !waiter.turn.wait(for: timeout),
            state.withLock({ $0.calls.remove(for: purpose) { $0 === waiter } })
        {
            throw ValidationFailure("it is busy with earlier pushes")
        }
        if waiter.isTurnedAway.load(ordering: .acquiring) { throw ValidationFailure.isStopping }
    }

    /// Turns away the callers that wait and all later ones.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.calls.removeAll()
        }
        for waiter in waiters {
            waiter.isTurnedAway.store(true, ordering: .releasing)
            waiter.turn.give()
        }
    }

    private enum Place { case running, waiting, none, closed }

    private func admit(
        _ waiter: Waiter, _ purpose: JobPurpose, in state: inout State
    ) -> Place {
        guard !state.isClosed else { return .closed }
        if state.calls.runningCount < running, state.calls.hasRoom(purpose) {
            state.calls.begin(purpose)
            return .running
        }
        return state.calls.add(waiter, for: purpose) ? .waiting : .none
    }

    private func leave(_ purpose: JobPurpose) {
        state.withLock { state in
            state.calls.end(purpose)
            if state.calls.runningCount < running { state.calls.take()?.job.turn.give() }
        }
    }
}
