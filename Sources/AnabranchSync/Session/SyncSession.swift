package import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

/// The protocol state machine of a client: it decides the next step of an exchange between a store
/// and its zone.
///
/// It consists of six machines, which usually follow one another: hello, pull, push, a snapshot if
/// one is needed, repair and verification. `SyncSession+Order` says when each follows, and
/// Architecture.md has a drawing.
///
/// The session is a value without I/O, clock, randomness or tasks: it takes one event and returns
/// one action. Everything that was applied or acknowledged is in the store. All other state may be
/// lost at any time, and the next exchange begins where the store is (invariant 4).
///
/// The pull comes first, and no refusal of a push stops it. The session says hello when the zone is
/// unknown, or when it does not know the cursor.
package struct SyncSession: Sendable {
    package let limits: SessionLimits
    var exchange: Exchange
    var machines = Machines()
    var phase = Phase.idle
    /// The failure after which the session waits, or has waited last.
    package internal(set) var delayCause: SyncError?
    /// The machines that the last event went through, the one that answers it first.
    package internal(set) var path: [MachineName] = []

    /// The machines of an exchange, each with its own state.
    package struct Machines: Sendable {
        var hello = HelloMachine()
        var pull = PullMachine()
        var push = PushMachine()
        var snapshot = SnapshotMachine()
        var repair = RepairMachine()
        var verification = VerificationMachine()
    }

    /// The answer or the delay that the session waits for.
    enum Phase {
        case idle
        case asking(any SessionStep)
        /// A delay, after which the machine of this step continues.
        case waiting(after: any SessionStep)
    }

    /// The next action of the engine, which answers it with exactly one `Event`.
    package enum Action: Sendable {
        /// Send a request. Answer with `received(_:)` of the step, `refused` or `failed`.
        case send(any RequestStep, body: [UInt8])
        /// Work on the store. Answer with `performed(on:)` of the step.
        case store(any StoreStep)
        /// Wait for a duration. Answer with `waited`.
        case wait(Duration)
        /// Stop, because the exchange is over. The session waits for the next `begin`.
        case finish(Ending)
    }

    /// The answer to an action.
    package enum Event: Sendable {
        /// The zone or the store has answered the step.
        case answered(StepAnswer)
        /// The server's refusal, and the delay that it asked for.
        case refused(ProtocolError, retryAfter: Duration?)
        /// The reason why no answer came, or why the store could not do the work.
        case failed(SyncError)
        case waited
    }

    /// The end of an exchange.
    package enum Ending: Sendable {
        /// All entries of the zone were pulled. ``SyncOutcome/blockedBy`` says why a push stopped.
        case done(SyncOutcome)
        /// The exchange failed. Everything that was done before stays.
        case failed(SyncError)
    }

    /// The facts about the zone, kept from one exchange to the next.
    package var zone: ZoneState? { exchange.zone }

    package init(limits: SessionLimits = SessionLimits(), zone: ZoneState? = nil) {
        self.limits = limits
        let unknown = SyncState(
            replica: ReplicaID(high: 0, low: 0), cursor: nil, last: nil, hasPending: false)
        exchange = Exchange(of: unknown, zone: zone, limits: limits)
    }

    /// Begins an exchange. An unfinished exchange is dropped.
    ///
    /// - Parameter mode: The mode of the comparison after the exchange, or `nil` for none.
    package mutating func begin(
        _ state: SyncState, verifying mode: VerificationMode? = nil, at input: StepInput
    ) -> Action {
        exchange = Exchange(of: state, zone: exchange.zone, limits: limits)
        machines = Machines()
        machines.verification.progress = mode.map { VerificationProgress($0) }
        path = []
        let knowsZone = zone.map { zone in state.cursor.map { $0.epoch == zone.epoch } ?? true }
        guard knowsZone == true, !state.wantsSnapshot else {
            return enter(HelloMachine.self, at: input)
        }
        return enter(PullMachine.self, at: input)
    }

    /// Handles the answer to the last action, and returns the next action.
    package mutating func advance(_ event: Event, at input: StepInput) -> Action {
        path = []
        switch event {
        case .answered(let answer): return answer.follow(&self, input)
        case .refused(let refusal, let delay):
            return failed(SyncError(refusal, retryAfter: delay), serverDelay: delay, at: input)
        case .failed(let error): return failed(error, at: input)
        case .waited:
            guard case .waiting(let step) = phase else { Self.failForWrongAnswer() }
            return resume(after: step, at: input)
        }
    }

    static func failForWrongAnswer() -> Never {
        preconditionFailure("the engine answered an action with the event of another action")
    }
}

// MARK: - Moves

extension SyncSession {
    /// Lets a machine decide after an answer to the present step.
    ///
    /// - Parameter answer: Reads the answer. It throws if the answer is damaged.
    mutating func follow<Step: SessionStep>(
        _: Step.Type, at input: StepInput, _ answer: () throws(ProtocolError) -> Step.Answer
    ) -> Action {
        guard case .asking(let present) = phase, let step = present as? Step else {
            Self.failForWrongAnswer()
        }
        path.append(Step.Machine.name)
        let move: Step.Machine.Move
        do throws(ProtocolError) {
            move = try step.next(
                try answer(), &machines[keyPath: Step.Machine.place], &exchange, at: input)
        } catch {
            return failed(SyncError(damagedAnswer: error), at: input)
        }
        return perform(move, of: Step.Machine.self, at: input)
    }

    /// Begins or continues the work of a machine.
    mutating func enter<Machine: SessionMachine>(_: Machine.Type, at input: StepInput) -> Action {
        path.append(Machine.name)
        let move = machines[keyPath: Machine.place].begin(&exchange, at: input)
        return perform(move, of: Machine.self, at: input)
    }

    mutating func perform<Machine: SessionMachine>(
        _ move: Machine.Move, of _: Machine.Type, at input: StepInput
    ) -> Action {
        switch move {
        case .send(let step, let body):
            // Not even hello is said if the app is too old for the zone.
            if let error = exchange.updateRequired { return stop(error) }
            exchange.sentAtMilliseconds = input.wallMilliseconds
            phase = .asking(step)
            return .send(step, body: body)
        case .store(let step):
            phase = .asking(step)
            return .store(step)
        case .fail(let error): return failed(error, at: input)
        case .leave(let exit): return Machine.leave(exit, &self, at: input)
        case .stop(let error): return stop(error)
        }
    }

    private mutating func resume<Step: SessionStep>(
        after step: Step, at input: StepInput
    ) -> Action {
        path.append(Step.Machine.name)
        let move = machines[keyPath: Step.Machine.place].resume(after: step, &exchange, at: input)
        return perform(move, of: Step.Machine.self, at: input)
    }

    /// Ends the exchange with its outcome.
    mutating func conclude() -> Action {
        if let error = exchange.updateRequired { return stop(error) }
        phase = .idle
        var outcome = exchange.outcome
        outcome.position = exchange.position
        outcome.headPosition = max(exchange.headPosition, outcome.position)
        // The engine counts them.
        outcome.pendingCount = exchange.state.hasPending ? 1 : 0
        return .finish(.done(outcome))
    }

    /// Ends the exchange with an error.
    mutating func stop(_ error: SyncError) -> Action {
        phase = .idle
        return .finish(.failed(error))
    }
}
