internal import AnabranchProtocol

/// One part of an exchange, with the steps in which it waits and a state of its own.
///
/// A machine sees its own state and what all machines know of the exchange. It does not know the
/// other machines: `SyncSession` decides which one follows.
package protocol SessionMachine: Sendable {
    /// The ways in which the machine hands over to another one.
    associatedtype Exit: Sendable
    typealias Move = SessionMove<Exit>

    static var name: MachineName { get }
    static var place: WritableKeyPath<SyncSession.Machines, Self> { get }

    /// Begins the machine's work, or continues it after another machine's.
    mutating func begin(_ exchange: inout Exchange, at input: StepInput) -> Move

    /// Continues after a failure that was waited for.
    mutating func resume(
        after step: some SessionStep, _ exchange: inout Exchange, at input: StepInput
    ) -> Move

    /// Reacts to a failure in a way of its own.
    ///
    /// - Returns: `nil` if the session reacts, as to a failure of any machine.
    mutating func react(
        to failure: StepFailure, _ exchange: inout Exchange, at input: StepInput
    ) -> Move?

    /// Decides which machine follows.
    static func leave(
        _ exit: Exit, _ session: inout SyncSession, at input: StepInput
    ) -> SyncSession.Action
}

extension SessionMachine {
    package mutating func resume(
        after step: some SessionStep, _ exchange: inout Exchange, at input: StepInput
    ) -> Move {
        begin(&exchange, at: input)
    }

    package mutating func react(
        to failure: StepFailure, _ exchange: inout Exchange, at input: StepInput
    ) -> Move? {
        nil
    }
}

/// The decision of a machine.
package enum SessionMove<Exit: Sendable>: Sendable {
    /// Send a request, and wait for the answer to the step.
    case send(any RequestStep, body: [UInt8])
    /// Let the store do the step's work, and wait for its answer.
    case store(any StoreStep)
    /// React to an answer that reports a problem as to a failure of the present step.
    case fail(SyncError)
    /// Hand over to another machine.
    case leave(Exit)
    /// End the exchange with an error.
    case stop(SyncError)

    static func send(_ step: some RequestStep, _ request: some Message) -> Self {
        .send(step, body: request.encoded())
    }
}

/// The failure of a step.
package struct StepFailure: Sendable {
    let error: SyncError
    let step: any SessionStep
    let reaction: FailureReaction
}

/// The machines of an exchange, in the order in which they usually follow one another.
package enum MachineName: String, Sendable, CaseIterable {
    case hello, pull, push, snapshot, repair, verification
}
