import AnabranchProtocol
import AnabranchReplication

/// A pushed change set, checked as far as it can be without the log.
struct IncomingChangeSet: Sendable {
    let changeSet: ChangeSet
    let bytes: [UInt8]

    /// - Throws: `invalidChangeSet`, `unsupportedVersion` or `unsupportedRule`; the details name
    ///   replica and sequence as soon as they are known.
    init(
        decoding bytes: [UInt8], limits: ZoneLimits, checkingDigest: Bool
    ) throws(ProtocolError) {
        guard bytes.count <= limits.changeSetBytes else {
            throw ProtocolError(
                .invalidChangeSet,
                "Can't take in a change set of \(bytes.count) bytes because the limit is "
                    + "\(limits.changeSetBytes).",
                details: ["limit": "\(limits.changeSetBytes)"])
        }
        self.bytes = bytes
        do throws(ChangeSetDecodingError) {
            changeSet = try ChangeSet(decoding: bytes, checkingDigest: checkingDigest)
        } catch {
            throw Self.refusal(error, in: nil)
        }
        do throws(ChangeSetDecodingError) {
            try checkPayload()
        } catch {
            throw Self.refusal(error, in: changeSet.dot)
        }
    }

    /// Decodes block by block, so that memory is bounded by one block.
    private func checkPayload() throws(ChangeSetDecodingError) {
        var decoder = try ChangePayloadDecoder(changeSet.payload, author: changeSet.dot.replica)
        while let block = try decoder.next() {
            guard let unknown = block.unknownRule else { continue }
            throw ChangeSetDecodingError(
                code: .unsupportedVersion, offset: 0, cause: "\(unknown) is not known here")
        }
    }

    private static func refusal(_ error: ChangeSetDecodingError, in dot: Dot?) -> ProtocolError {
        var details = ["offset": "\(error.offset)"]
        if let dot { details.merge(dot.details) { first, _ in first } }
        let isRule = error.code == .unsupportedVersion && dot != nil
        let code: ProtocolError.Code =
            isRule
            ? .unsupportedRule
            : error.code == .unsupportedVersion ? .unsupportedVersion : .invalidChangeSet
        let name = dot.map { "change set \($0)" } ?? "a change set"
        return ProtocolError(
            code, "Can't take in \(name) because \(error.cause).", details: details)
    }
}

extension Dot {
    /// As errors of the protocol name it.
    var details: [String: String] {
        ["replica": replica.description, "sequence": "\(sequence)"]
    }
}
