import Synchronization

/// Bounds the calls that run at once and those that wait for one of them to end, for all zones
/// together and for each zone.
///
/// A caller beyond the bounds is turned away at once, so a slow hook holds only few of the threads
/// that serve requests. One zone has at most half of the room, so the hook answers for other zones
/// while it is slow for that one. Callers get their turn in the order in which they came, except
/// that a caller of a zone without room lets those behind it pass.
final class CallGate: Sendable {
    /// A caller that waits for its turn.
    private final class Waiter: Sendable {
        let zone: String
        let turn = Signal()
        /// True if its turn never comes.
        let isTurnedAway = Atomic(false)

        init(_ zone: String) { self.zone = zone }
    }

    /// The calls of one zone.
    private struct Share {
        var running = 0
        var waiting = 0
    }

    private struct State {
        var running = 0
        var shares: [String: Share] = [:]
        var waiters: [Waiter] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let running: Int
    private let waiting: Int

    /// Creates a gate without callers.
    ///
    /// - Parameters:
    ///   - running: The greatest number of calls at once.
    ///   - waiting: The greatest number of callers that wait.
    init(running: Int, waiting: Int) {
        self.running = running
        self.waiting = waiting
    }

    /// The number of callers that wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

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
        try enter(zone, within: timeout)
        defer { leave(zone) }
        return try call()
    }

    private func enter(_ zone: String, within timeout: Duration) throws(ValidationFailure) {
        let waiter = Waiter(zone)
        let place = state.withLock { admit(waiter, in: &$0) }
        switch place {
        case .running: return
        case .closed: throw ValidationFailure.isStopping
        case .none: throw ValidationFailure("too many pushes wait for it")
        case .waiting: break
        }
        if !waiter.turn.wait(for: timeout), giveUp(waiter) {
            throw ValidationFailure("it is busy with earlier pushes")
        }
        if waiter.isTurnedAway.load(ordering: .acquiring) { throw ValidationFailure.isStopping }
    }

    /// Ends the wait of a caller.
    ///
    /// - Returns: False if its turn has come just now, or it was turned away.
    private func giveUp(_ waiter: Waiter) -> Bool {
        state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else {
                return false
            }
            state.waiters.remove(at: index)
            change(waiter.zone, in: &state) { $0.waiting -= 1 }
            return true
        }
    }

    /// Turns away the callers that wait and all later ones.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            for waiter in state.waiters { change(waiter.zone, in: &state) { $0.waiting -= 1 } }
            return state.waiters
        }
        for waiter in waiters {
            waiter.isTurnedAway.store(true, ordering: .releasing)
            waiter.turn.give()
        }
    }

    private enum Place { case running, waiting, none, closed }

    private func admit(_ waiter: Waiter, in state: inout State) -> Place {
        guard !state.isClosed else { return .closed }
        if hasRoom(for: waiter.zone, in: state) {
            start(waiter.zone, in: &state)
            return .running
        }
        let share = state.shares[waiter.zone] ?? Share()
        guard state.waiters.count < waiting, share.waiting < Self.half(waiting) else {
            return .none
        }
        state.waiters.append(waiter)
        change(waiter.zone, in: &state) { $0.waiting += 1 }
        return .waiting
    }

    private func leave(_ zone: String) {
        state.withLock { state in
            state.running -= 1
            change(zone, in: &state) { $0.running -= 1 }
            guard let next = state.waiters.firstIndex(where: { hasRoom(for: $0.zone, in: state) })
            else { return }
            let waiter = state.waiters.remove(at: next)
            change(waiter.zone, in: &state) { $0.waiting -= 1 }
            start(waiter.zone, in: &state)
            waiter.turn.give()
        }
    }

    private func hasRoom(for zone: String, in state: State) -> Bool {
        state.running < running
            && (state.shares[zone]?.running ?? 0) < Self.half(running)
    }

    private func start(_ zone: String, in state: inout State) {
        state.running += 1
        change(zone, in: &state) { $0.running += 1 }
    }

    /// Changes the share of a zone, which is kept only while the zone has callers.
    private func change(_ zone: String, in state: inout State, _ body: (inout Share) -> Void) {
        var share = state.shares[zone] ?? Share()
        body(&share)
        state.shares[zone] = share.running + share.waiting > 0 ? share : nil
    }

    /// The room of one zone.
    private static func half(_ room: Int) -> Int { max(room / 2, 1) }
}
