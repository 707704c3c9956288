import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchProtocol

@Suite struct PushResponseTests {
    private static let replicas = [ReplicaID(high: 1, low: 1), ReplicaID(high: 2, low: 2)]

    /// The forms of change sets that two replicas saved in turn.
    private static func forms(_ count: Int) -> [PushResponse.SentForm] {
        var generator = SeededGenerator(seed: 5)
        var form = PushResponse.SentForm(generator.changeSet())
        return (0..<count).map { index in
            form.dot = Dot(replica: replicas[index % 2], sequence: UInt64(index / 2 + 1))
            form.digest = Digest(of: [UInt8(truncatingIfNeeded: index), UInt8(index >> 8)])
            return form
        }
    }

    private static func response(
        _ acknowledgements: [PushResponse.Acknowledgement], of sent: [PushResponse.SentForm]
    ) -> PushResponse {
        PushResponse(
            acknowledging: acknowledgements, of: sent, refusal: nil, headPosition: 9,
            wallMilliseconds: 0)
    }

    @Test func `change sets that were taken as they were sent cost no bytes each`() throws {
        let sent = Self.forms(10_000)
        let taken = sent.enumerated().map { index, form in
            PushResponse.Acknowledgement(of: form, at: UInt64(index + 1))
        }
        let bytes = Self.response(taken, of: sent).encoded()
        #expect(bytes.count <= 88)
        #expect(try PushResponse(decoding: bytes).acknowledgements(of: sent) == taken)
    }

    @Test(arguments: TestLength.seeds(200))
    func `exceptions keep their places`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sent = Self.forms(Int.random(in: 0...40, using: &generator))
        let count = Int.random(in: 0...sent.count, using: &generator)
        let taken = sent.prefix(count).map { form in
            var each = PushResponse.Acknowledgement(
                of: form, at: UInt64.random(in: 1...9, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: each.digest = Digest(of: [1])
            case 1: each.rejection = SaveRejection(.notAllowed, "No.")
            case 2: each.dot = Dot(replica: Self.replicas[1], sequence: 1 << 40)
            default: break
            }
            return each
        }
        let bytes = Self.response(taken, of: sent).encoded()
        #expect(try PushResponse(decoding: bytes).acknowledgements(of: sent) == taken)
    }

    @Test func `an answer to other change sets is refused`() throws {
        let sent = Self.forms(4)
        let taken = sent.prefix(3).map { PushResponse.Acknowledgement(of: $0, at: 1) }
        let response = Self.response(taken, of: sent)
        let others = [
            Array(sent.prefix(2)), Array(sent.dropFirst()), Array(sent.reversed()),
            // A faulty server or peer may get them in another order. The vector is the same.
            [sent[2], sent[1], sent[0], sent[3]],
        ]
        for other in others {
            let error = #expect(throws: ProtocolError.self) {
                try response.acknowledgements(of: other)
            }
            #expect(error?.code == .malformedRequest)
        }
    }

    /// The fields of an answer that acknowledges two change sets, the second one as an exception.
    private struct Fields {
        var count: UInt64 = 2
        var vector = [Dot(replica: replicas[0], sequence: 1)]
        var runs: [(UInt64, UInt64)] = [(5, 1)]
        var indexes: [UInt64] = [1]

        var bytes: [UInt8] {
            var writer = ByteWriter()
            writer.append(byte: SyncProtocol.version)
            writer.append(varint: count)
            writer.append(count: vector.count)
            for dot in vector { writer.append(dot: dot) }
            writer.append(count: runs.count)
            for run in runs {
                writer.append(varint: run.0)
                writer.append(varint: run.1)
            }
            writer.append(fixed64: 0)
            writer.append(count: indexes.count)
            for index in indexes {
                writer.append(varint: index)
                PushResponse.Acknowledgement(
                    position: 3, dot: Dot(replica: replicas[1], sequence: 7), timestamp: .zero,
                    digest: .zero
                ).write(to: &writer)
            }
            writer.append(byte: 0)
            writer.append(varint: 9)
            writer.append(milliseconds: 0)
            return MessageChecksum.sealing(writer.bytes)
        }
    }

    @Test func `numbers that contradict each other are refused`() throws {
        _ = try PushResponse(decoding: Fields().bytes)
        let wrong: [(inout Fields) -> Void] = [
            { $0.count = 1 }, { $0.count = 3 }, { $0.count = 1 << 52 },
            { $0.runs = [(5, 0), (5, 1)] }, { $0.runs = [(5, 2)] }, { $0.runs = [] },
            { $0.runs = [(Limits.greatestSequence, 2)] },
            { ($0.count, $0.runs) = (1 << 53 - 1, [(5, 1 << 53 - 2)]) },
            { $0.indexes = [2] }, { $0.indexes = [] }, { $0.indexes = [0, 1] },
            { ($0.count, $0.indexes) = (3, [1, 1]) }, { ($0.count, $0.indexes) = (3, [2, 1]) },
            { $0.vector += $0.vector },
            { $0.vector = $0.vector + [Dot(replica: ReplicaID(high: 0, low: 0), sequence: 1)] },
        ]
        for (number, change) in wrong.enumerated() {
            var fields = Fields()
            change(&fields)
            let error = #expect(throws: ProtocolError.self, "case \(number)") {
                try PushResponse(decoding: fields.bytes)
            }
            #expect(error?.code == .malformedRequest)
        }
    }
}
