import AnabranchProtocol
import AnabranchReplication

/// A pushed change set, checked as far as it can be without the log.
struct IncomingChangeSet: Sendable {
    let changeSet: ChangeSet
    let bytes: [UInt8]
    /// The reason why it becomes a void, unless the log already holds it.
    let rejection: Rejection?

    /// Decodes a change set.
    ///
    /// - Throws: `invalidChangeSet` or `unsupportedVersion`; the author of such bytes is unknown.
    init(
        decoding bytes: [UInt8], limits: ZoneLimits, checkingDigest: Bool
    ) throws(ProtocolError) {
        self.bytes = bytes
        do throws(ChangeSetDecodingError) {
            changeSet = try ChangeSet(decoding: bytes, checkingDigest: checkingDigest)
        } catch {
            throw PushFailure.refusal(error)
        }
        rejection =
            PushFailure.rejection(
                ofByteCount: bytes.count, in: changeSet.dot, limit: limits.changeSetBytes)
            ?? PushFailure.rejection(ofPartsOf: changeSet, limits)
            ?? Self.rejection(of: changeSet)
    }

    private static func rejection(of changeSet: ChangeSet) -> Rejection? {
        guard changeSet.kind == .save else { return nil }
        do throws(ChangeSetDecodingError) {
            try checkPayload(of: changeSet)
            return nil
        } catch {
            return PushFailure.rejection(error, in: changeSet.dot)
        }
    }

    /// Decodes the payload block by block, so that only one block is in memory.
    private static func checkPayload(
        of changeSet: ChangeSet
    ) throws(ChangeSetDecodingError) {
        var decoder = try ChangePayloadDecoder(changeSet.payload, author: changeSet.dot.replica)
        while let block = try decoder.next() {
            try checkIsKnown(block)
        }
    }

    static func checkIsKnown(_ block: ChangeBlock) throws(ChangeSetDecodingError) {
        guard let unknown = block.unknownRule else { return }
        throw ChangeSetDecodingError(
            code: .unsupportedVersion, offset: 0, cause: "\(unknown) is not known here")
    }
}

extension Dot {
    /// The details that name this dot in errors of the protocol.
    var details: [String: String] {
        ["replica": replica.description, "sequence": "\(sequence)"]
    }
}
