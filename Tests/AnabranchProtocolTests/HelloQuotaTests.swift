import AnabranchReplication
import Testing

@testable import AnabranchProtocol

/// Tests of the fields that follow those of the first version of the answer to hello.
@Suite struct HelloQuotaTests {
    private let quotas = [
        QuotaUse(name: "records", limit: 100, used: 90),
        QuotaUse(name: "of-a-later-server", limit: .max, used: 0),
    ]

    private func response(_ quotas: [QuotaUse]) -> HelloResponse {
        HelloResponse(
            epoch: EpochID(high: 1, low: 2), headPosition: 3, isCursorKnown: true,
            lastSequence: 0, origin: nil, wallMilliseconds: 4, largestBody: 5, quotas: quotas)
    }

    /// The bytes of an answer with further bytes at the end of its fields.
    private func bytes(_ tail: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(byte: SyncProtocol.version)
        response([]).write(to: &writer)
        tail(&writer)
        return MessageChecksum.sealing(writer.bytes)
    }

    @Test func `quotas arrive`() throws {
        let sent = response(quotas)
        #expect(try HelloResponse(decoding: sent.encoded()) == sent)
    }

    @Test func `an answer without quotas ends as that of an earlier server`() throws {
        #expect(response([]).encoded() == bytes { _ in })
        #expect(try HelloResponse(decoding: bytes { _ in }).quotas == [])
    }

    @Test func `fields of a later server are passed over`() throws {
        let message = bytes { writer in
            writer.append(count: 2)
            writer.append(string: "weather")
            writer.append(block: [1, 2, 3])
            writer.append(string: "quotas")
            var field = ByteWriter()
            quotas[0].write(to: &field)
            writer.append(block: field)
        }
        #expect(try HelloResponse(decoding: message).quotas == [quotas[0]])
    }

    @Test func `a field that ends too early is refused`() {
        let message = bytes { writer in
            writer.append(count: 1)
            writer.append(string: "quotas")
            writer.append(block: [4, 65])
        }
        #expect(throws: ProtocolError.self) { try HelloResponse(decoding: message) }
    }
}
