import AnabranchProtocol
import AnabranchReplication

/// What a zone finds wrong with a pushed set: the one place that says what is wrong for good.
///
/// **Rejected** is what asking again does not mend, because the bytes are those that the author
/// saved and the zone is as it is: a rule or an operation that this server does not know, a
/// payload that says what no change set may, a record that is inserted twice, more bytes than the
/// zone takes, and whatever ``PushValidation`` forbids. The set becomes a void in the log, so
/// that what is behind it goes on. A void may be taken back only by the operator, who lets the
/// author save again.
///
/// **Refused** is what may go through later, or as something else: bytes that are damaged or of a
/// later version, a gap, a fork, causes that are missing, a time that is ahead, a first set that
/// claims a predecessor, a zone with all the replicas that it can have, a request that is too
/// large, a storage that fails or is busy. The set stays with its author.
enum PushFault: Error {
    case rejected(Rejection)
    case refused(ProtocolError)

    /// - Parameter error: Of the payload of a set whose digests are right.
    static func rejection(_ error: ChangeSetDecodingError, in dot: Dot) -> Rejection {
        Rejection(
            error.code == .unsupportedVersion ? .unsupportedRule : .malformed,
            "Can't take in change set \(dot) because \(error.cause).")
    }

    static func rejection(ofByteCount count: Int, in dot: Dot, limit: Int) -> Rejection? {
        guard count > limit else { return nil }
        return Rejection(
            .tooLarge,
            "Can't take in change set \(dot) of \(count) bytes because the limit is \(limit).")
    }

    static func rejection(ofPartsOf changeSet: ChangeSet, _ limits: ZoneLimits) -> Rejection? {
        guard let parts = try? changeSet.parts() else { return nil }
        let byteCount = parts.reduce(0) { $0 + $1.byteCount }
        return rejection(ofByteCount: byteCount, in: changeSet.dot, limit: limits.saveBytes)
            ?? parts.lazy.map(\.byteCount).max().flatMap {
                rejection(ofByteCount: $0, in: changeSet.dot, limit: limits.partBytes)
            }
    }

    /// - Parameter error: Of an entry that does not open, so that nobody knows whose it is.
    static func refusal(_ error: ChangeSetDecodingError) -> ProtocolError {
        ProtocolError(
            error.code == .unsupportedVersion ? .unsupportedVersion : .invalidChangeSet,
            "Can't take in a change set because \(error.cause).",
            details: ["offset": "\(error.offset)"])
    }

    /// What a failure of the merge means; `nil` where the set is not to blame.
    init?(_ error: ZoneStorageError) {
        switch error.code {
        case .recordHeld: self = .rejected(Rejection(.malformed, error.message))
        case .recordTooLarge: self = .rejected(Rejection(.tooLarge, error.message))
        case .tooManyReplicas:
            self = .refused(
                ProtocolError(.storageFull, error.message, details: ["limit": "replicas"]))
        default: return nil
        }
    }
}
