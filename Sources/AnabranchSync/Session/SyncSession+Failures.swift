internal import AnabranchProtocol

extension SyncSession {
    /// Reacts to a failure of the present step as its machine says, otherwise as `FailureReaction`
    /// says.
    ///
    /// - Parameter serverDelay: The delay that the server asked for.
    mutating func failed(
        _ error: SyncError, serverDelay: Duration? = nil, at input: StepInput
    ) -> Action {
        guard case .asking(let step) = phase else { Self.failForWrongAnswer() }
        exchange.failures += 1
        return react(to: error, of: step, serverDelay, at: input)
    }

    private mutating func react<Step: SessionStep>(
        to error: SyncError, of step: Step, _ serverDelay: Duration?, at input: StepInput
    ) -> Action {
        let isPushing = Step.Machine.name == .push
        let reaction = FailureReaction.of(error.code, isPushing: isPushing)
        if let action = reactByMachine(to: error, of: step, reaction, at: input) { return action }
        switch reaction {
        case .sayHello: return greetAgain(after: error, at: input)
        case .smaller: exchange.halveBytes()
        case .final: return stop(error)
        case .retry, .pullThenPush, .beginSnapshot, .takeSnapshot, .sendParts, .restamp: break
        }
        guard exchange.failures < limits.retry.attempts else {
            guard case .retry(let final) = reaction else { return stop(error) }
            return reactByMachine(to: error, of: step, .final(final), at: input) ?? stop(error)
        }
        phase = .waiting(after: step)
        delayCause = error
        return .wait(
            limits.retry.delay(
                afterFailures: exchange.failures, draw: input.draw, serverDelay: serverDelay))
    }

    private mutating func reactByMachine<Step: SessionStep>(
        to error: SyncError, of step: Step, _ reaction: FailureReaction, at input: StepInput
    ) -> Action? {
        let failure = StepFailure(error: error, step: step, reaction: reaction)
        if path.last != Step.Machine.name { path.append(Step.Machine.name) }
        return machines[keyPath: Step.Machine.place].react(to: failure, &exchange, at: input)
            .map { perform($0, of: Step.Machine.self, at: input) }
    }

    /// Asks which log the zone has now.
    ///
    /// A zone may begin another epoch at any time, and as often as it is restored: every time the
    /// answer is to say hello. From the fifth time on the session waits before it does.
    private mutating func greetAgain(after error: SyncError, at input: StepInput) -> Action {
        machines.hello.epochChanges += 1
        let count = machines.hello.epochChanges
        let attempts = limits.retry.attempts
        guard exchange.mayTakeRemedy(), error.code == .unknownEpoch || count < attempts else {
            return stop(error)
        }
        exchange.failures = 0
        guard count >= attempts else { return enter(HelloMachine.self, at: input) }
        phase = .waiting(after: Greeting())
        delayCause = error
        return .wait(limits.retry.delay(afterFailures: count - attempts + 1, draw: input.draw))
    }
}

extension SyncError {
    /// Creates the error of an answer that contradicts its request, or that could not be read.
    init(damagedAnswer error: ProtocolError) {
        let code: Code =
            switch error.code {
            case .unsupportedVersion: .unsupportedVersion
            case .unknownEpoch: .unknownEpoch
            default: .damagedResponse
            }
        self.init(code, error.message, details: error.details, underlying: error)
    }
}
