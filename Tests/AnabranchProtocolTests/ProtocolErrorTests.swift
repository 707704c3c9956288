import AnabranchProtocol
import AnabranchReplication
import Testing

@Suite struct ProtocolErrorTests {
    @Test(arguments: [
        (ProtocolError.Code.malformedRequest, 400), (.invalidChangeSet, 400), (.unauthorized, 401),
        (.forbidden, 403), (.notFound, 404), (.methodNotAllowed, 405), (.sequenceGap, 409),
        (.forked, 409), (.missingCauses, 409), (.clockSkew, 409), (.timeOrder, 409),
        (.unknownCursor, 409), (.unknownEpoch, 409), (.bodyTooLarge, 413),
        (.unsupportedMediaType, 415),
        (.unsupportedVersion, 426), (.internalError, 500),
        (.overloaded, 503), (.shuttingDown, 503), (.storageFull, 507),
        (ProtocolError.Code(rawValue: "of-a-later-version"), 500),
    ])
    func `each code has its status, and only those of the server are worth a retry`(
        code: ProtocolError.Code, status: Int
    ) {
        #expect(code.httpStatus == status)
        #expect(code.isTransient == (status >= 500))
    }

    @Test func `a body that cannot be read says where and why`() {
        let error = #expect(throws: ProtocolError.self) {
            try PullRequest(decoding: MessageChecksum.sealing([1, 2]))
        }
        #expect(error?.code == .malformedRequest)
        #expect(error?.details["offset"] == "2")
        #expect(error?.message.contains("pull request") == true)
        let later = #expect(throws: ProtocolError.self) {
            try PullRequest(decoding: MessageChecksum.sealing([2, 0, 0]))
        }
        #expect(later?.code == .unsupportedVersion)
    }
}
