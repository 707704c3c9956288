/// The reaction of an exchange to a failure.
enum FailureReaction: Hashable {
    /// Repeats the request after a delay, as often as the policy allows, and then reacts as `then`
    /// says.
    case retry(then: Final)
    case final(Final)
    /// Says hello, because the zone does not know the cursor or the epoch.
    case sayHello
    /// Pulls, then pushes again, because the client does not know what the zone lacks or has.
    case pullThenPush
    /// Repeats the request with half as many bytes, because it was too large or too slow.
    case smaller
    /// Begins with another snapshot, because the zone has replaced the one before.
    case beginSnapshot
    /// Takes a snapshot, because a record that waits for repair is too large for an answer.
    case takeSnapshot
    /// Sends the parts of a save that the zone lacks, then pushes again.
    case sendParts
    /// Gives the unpushed change sets earlier times, then pushes again, because their times were in
    /// the future.
    case restamp

    enum Final: Hashable {
        /// Ends the push: the change sets stay in the store's log, and the pull continues.
        case stopPush
        case stopExchange
    }
}

extension FailureReaction {
    /// The reaction to an error.
    ///
    /// - Parameter isPushing: Whether a push met the error. An error that stops a push never stops
    ///   the pull.
    static func of(_ code: SyncError.Code, isPushing: Bool) -> FailureReaction {
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
            // The bytes may have been damaged in transit, so a repetition may succeed.
            return .retry(then: final)
        case .unauthorized, .forbidden, .clockSkew:
            return .final(final)
        case .quotaExceeded where isPushing, .storageFull where isPushing:
            return .final(.stopPush)
        case .untrustedServer, .responseTooLarge, .storeFailed, .zoneNotFound,
            .unsupportedVersion, .invalidServer, .insecureServer, .invalidToken,
            .unusableCertificate, .foreignZone, .recordTooLarge:
            return .final(.stopExchange)
        default:
            // No connection, a damaged response, a busy or failing server, too many requests, or a
            // code of a later server.
            return .retry(then: .stopExchange)
        }
    }
}
