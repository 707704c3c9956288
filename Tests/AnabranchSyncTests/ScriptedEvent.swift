import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Testing

@testable import AnabranchSync

/// What a script lets the zone or the store answer, without the step that it answers.
enum ScriptedEvent {
    case received([UInt8])
    case refused(ProtocolError, retryAfter: Duration?)
    case failed(SyncError)
    case storeFailed(SyncError)
    case waited
    case applied(SyncState)
    case cursorMoved(SyncState)
    case lacking(LackingPart)
    case kept
    case piece(PartPiece?)
    case loaded([StoredLogEntry], SyncState)
    case acknowledged(SyncState)
    case renewed
    case recorded(SyncState)
    case cursor(LogCursor?)
    case rewound(SyncState, keptCopy: String?)
    case recordsToRepair([RecordID])
    case restamped
    case rewritten(SyncState?)
    case staged(SyncState)
    case supplied([StoredLogEntry])
    case compared(StateComparison)
    case queuedForRepair(SyncState)

    /// The event as an answer to an action.
    func answering(_ action: SyncSession.Action) -> SyncSession.Event {
        switch (self, action) {
        case (.received(let body), .send(let step, _)): return step.received(body)
        case (.refused(let refusal, let delay), _): return .refused(refusal, retryAfter: delay)
        case (.failed(let error), _), (.storeFailed(let error), _): return .failed(error)
        case (.waited, .wait): return .waited
        case (_, .store(let step)):
            for answer in answers {
                if let event = step.answered(ifPossibleBy: answer) { return event }
            }
        default: break
        }
        Issue.record("\(self) is no answer to \(action)")
        return .failed(SyncError(.storeFailed, "The script is wrong."))
    }

    /// The answers of the store that the event may stand for.
    private var answers: [any Sendable] {
        switch self {
        case .applied(let state): [PageAnswer.applied(state), ContentAnswer.applied(state)]
        case .cursorMoved(let state):
            [
                PageAnswer.cursorMoved(state), ContentAnswer.cursorMoved(state),
                ComparisonAnswer.cursorMoved(state),
            ]
        case .lacking(let part): [PageAnswer.lacking(part)]
        case .kept, .renewed, .restamped: [()]
        case .piece(let piece): [piece]
        case .loaded(let sets, let state): [PendingAnswer(sets: sets, state: state)]
        case .acknowledged(let state), .recorded(let state), .staged(let state),
            .queuedForRepair(let state):
            [state]
        case .cursor(let cursor): [cursor]
        case .rewound(let state, let copy): [RewindAnswer(state: state, keptCopy: copy)]
        case .recordsToRepair(let records): [records]
        case .rewritten(let state): [state]
        case .supplied(let entries): [entries]
        case .compared(let comparison): [ComparisonAnswer.compared(comparison)]
        case .received, .refused, .failed, .storeFailed, .waited: []
        }
    }
}

extension StoreStep {
    fileprivate func answered(ifPossibleBy answer: any Sendable) -> SyncSession.Event? {
        (answer as? Answer).map { answered($0) }
    }
}
