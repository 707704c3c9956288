package import AnabranchProtocol

/// A state in which a machine waits for one answer.
///
/// The type of the answer belongs to the step, so the compiler refuses an answer to another step.
/// The description says in a few words what is asked.
package protocol SessionStep: Sendable, CustomStringConvertible {
    associatedtype Machine: SessionMachine
    associatedtype Answer: Sendable

    /// Decides the machine's next move.
    ///
    /// - Throws: `ProtocolError` if the zone's answer contradicts the request. The exchange goes on
    ///   as after any damaged answer.
    func next(
        _ answer: Answer, _ machine: inout Machine, _ exchange: inout Exchange, at input: StepInput
    ) throws(ProtocolError) -> Machine.Move
}

/// A step that waits for the zone's answer to a request.
package protocol RequestStep: SessionStep where Answer: Message {
    static var endpoint: SyncEndpoint { get }
}

/// A step that waits for the store. The session describes the work, and never performs it.
package protocol StoreStep: SessionStep {
    /// Performs the work in one transaction.
    func perform(on side: StoreExecutor) throws -> Answer
}

extension RequestStep {
    package var description: String { Self.endpoint.rawValue }

    /// The event that the zone has answered.
    ///
    /// - Parameter body: The body of the answer.
    package func received(_ body: [UInt8]) -> SyncSession.Event {
        .answered(StepAnswer(to: self, body))
    }
}

extension StoreStep {
    /// The event that the store has done the work.
    package func answered(_ answer: Answer) -> SyncSession.Event {
        .answered(StepAnswer(to: self, answer))
    }

    /// Performs the work.
    ///
    /// - Returns: The event that answers the step. A failure of the store is an event too.
    package func performed(on side: StoreExecutor) -> SyncSession.Event {
        do { return answered(try perform(on: side)) } catch {
            return .failed(SyncError(storeFailure: error))
        }
    }
}

/// An answer together with the step that it answers.
package struct StepAnswer: Sendable {
    /// The answer: the bytes of a response, or what the step's type says.
    package let value: any Sendable
    /// Continues a session that waits for the step.
    let follow: @Sendable (inout SyncSession, StepInput) -> SyncSession.Action

    fileprivate init<Step: StoreStep>(to _: Step, _ answer: Step.Answer) {
        value = answer
        follow = { session, input in
            session.follow(Step.self, at: input) { answer }
        }
    }

    fileprivate init<Step: RequestStep>(to _: Step, _ body: [UInt8]) {
        value = body
        follow = { session, input in
            session.follow(Step.self, at: input) { () throws(ProtocolError) in
                try Step.Answer(decoding: body)
            }
        }
    }
}

/// The time and a random number that a step may use. The session itself has no clock and no
/// randomness.
package struct StepInput: Sendable {
    /// The client's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// A random number for the jitter of back-off.
    package var draw: UInt64

    package init(wallMilliseconds: Int64, draw: UInt64) {
        self.wallMilliseconds = wallMilliseconds
        self.draw = draw
    }
}

/// The requests of an exchange.
package enum SyncEndpoint: String, Sendable, CaseIterable {
    case hello, pull, push, repair, snapshot, checksums
    /// The request that sends a piece of a part to the zone.
    case stage
    /// The request that gets a piece of a part from the zone.
    case part
}
