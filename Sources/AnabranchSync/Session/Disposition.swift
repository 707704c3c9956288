/// What a failure means for the exchange that it happened in.
enum Disposition: Hashable {
    /// The same again after a delay, as often as the policy allows; then as `then` says.
    case retry(then: Final)
    case final(Final)
    /// The zone does not know the cursor or the epoch: ask which log it has.
    case sayHello
    /// The zone lacks, or has, what the client does not know of: pull, then push anew.
    case pullThenPush
    /// The request was too large or too slow: the same with half as many bytes.
    case smaller
    /// The zone has another snapshot now: begin with that one.
    case beginSnapshot
    /// What has to be repaired comes only with all else: take a snapshot.
    case takeSnapshot
    /// The zone lacks parts of a save: send them, then push anew.
    case sendParts
    /// The store's clock was ahead: give what waits earlier times, then push anew.
    case restamp

    enum Final: Hashable {
        /// Sets stay in the store's log; the pull goes on.
        case stopPush
        case stopExchange
    }
}

extension Disposition {
    /// - Parameter isPushing: Whether a push met it. What stops a push never stops the pull.
    static func of(_ code: SyncError.Code, isPushing: Bool) -> Disposition {
        let final: Final = isPushing ? .stopPush : .stopExchange
        switch code {
        case .unknownCursor, .unknownEpoch, .snapshotRequired:
            return .sayHello
        case .unknownSnapshot: return .beginSnapshot
        case .repairTooLarge: return .takeSnapshot
        case .missingParts where isPushing: return .sendParts
        case .clockSkew where isPushing: return .restamp
        case .forked:
            // The pull brings the log's branch, and the store renames its own.
            return isPushing ? .pullThenPush : .final(.stopExchange)
        case .sequenceGap, .missingCauses, .timeOrder:
            return isPushing ? .pullThenPush : .retry(then: .stopExchange)
        case .bodyTooLarge:
            return isPushing ? .smaller : .final(.stopExchange)
        case .timedOut:
            return .smaller
        case .invalidChangeSet, .malformedRequest:
            // Perhaps damaged on the way: once more may help.
            return .retry(then: final)
        case .unauthorized, .forbidden, .clockSkew:
            return .final(final)
        case .untrustedServer, .responseTooLarge, .storeFailed, .zoneNotFound,
            .unsupportedVersion, .invalidServer, .insecureServer, .invalidToken:
            return .final(.stopExchange)
        default:
            // No connection, a damaged response, a busy or failing server, and what a later
            // version of the server may say.
            return .retry(then: .stopExchange)
        }
    }
}
