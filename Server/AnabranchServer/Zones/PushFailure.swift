import AnabranchProtocol
import AnabranchReplication

/// An error in a pushed change set; this type alone decides if the error is permanent.
///
/// **Rejected** change sets cannot be accepted by a retry, because their bytes do not change and
/// neither does the zone. The causes are:
///
/// - a rule or an operation that this server does not know;
/// - a payload that no change set may have;
/// - a record that is inserted twice;
/// - more bytes than the zone accepts, or more values than the server has memory for;
/// - a rejection by ``PushValidation``.
///
/// The change set becomes a void in the log, so that the replica's later change sets can follow.
/// Only the operator can undo this, by asking the author to save again.
///
/// **Refused** change sets may be accepted later or in another form. The causes are damaged bytes,
/// a later version, a gap, a fork, missing causes, a timestamp that is ahead, a first change set
/// with a predecessor, a zone with the greatest number of replicas, a quota of the zone, a request
/// that is too large, and a storage that fails or is busy. The change set stays with its author.
enum PushFailure: Error {
    case rejected(SaveRejection)
    case refused(ProtocolError)

    /// The rejection of a payload that cannot be decoded.
    ///
    /// - Parameter error: The error in a change set that has the right digests.
    static func rejection(_ error: ChangeSetDecodingError, in dot: Dot) -> SaveRejection {
        let code: SaveRejection.Code =
            switch error.code {
            case .unsupportedVersion: .unsupportedRule
            case .noRoom: .tooLarge
            default: .malformed
            }
        return SaveRejection(
            code, "Can't accept change set \(dot) because \(error.cause).")
    }

    /// The rejection of a save that the operator's hook can't be shown.
    static func rejection(tooLargeToShow dot: Dot) -> SaveRejection {
        SaveRejection(
            .tooLarge,
            "Can't accept change set \(dot) because there is no memory to show so many values to "
                + "the server's validation hook.")
    }

    /// The rejection of a save that is larger than the zone accepts, in whatever form it comes.
    ///
    /// - Parameter byteCount: The size of the encoded change set, without its parts.
    static func rejection(
        ofSize byteCount: Int, of changeSet: ChangeSet, _ limits: ZoneLimits
    ) -> SaveRejection? {
        let parts = (try? changeSet.parts()) ?? []
        let whole = parts.reduce(byteCount) { $0 + $1.byteCount }
        return rejection(ofByteCount: whole, in: changeSet.dot, limit: limits.saveBytes)
            ?? parts.lazy.map(\.byteCount).max().flatMap {
                rejection(ofByteCount: $0, in: changeSet.dot, limit: limits.partBytes)
            }
    }

    private static func rejection(
        ofByteCount count: Int, in dot: Dot, limit: Int
    ) -> SaveRejection? {
        guard count > limit else { return nil }
        return SaveRejection(
            .tooLarge,
            "Can't accept change set \(dot) of \(count) bytes because the limit is \(limit).")
    }

    /// The refusal of bytes that are not a change set, so their author is unknown.
    static func refusal(_ error: ChangeSetDecodingError) -> ProtocolError {
        ProtocolError(
            error.code == .unsupportedVersion ? .unsupportedVersion : .invalidChangeSet,
            "Can't accept a change set because \(error.cause).",
            details: ["offset": "\(error.offset)"])
    }

    /// The failure that caused an error of the merge; `nil` if the change set did not cause it.
    init?(_ error: StorageError) {
        switch error.code {
        case .recordHeld: self = .rejected(SaveRejection(.malformed, error.message))
        case .recordTooLarge: self = .rejected(SaveRejection(.tooLarge, error.message))
        case .tooManyReplicas:
            self = .refused(
                ProtocolError(.storageFull, error.message, details: ["limit": "replicas"]))
        default: return nil
        }
    }
}
