import AnabranchReplication
import TestSupport
import Testing

@Suite struct CausalContextTests {
    @Test(arguments: TestLength.seeds(400))
    func `a context is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let context = generator.causalContext()
        #expect(try decoded(encoded(context)) == context)
    }

    @Test func `an empty context takes two bytes`() {
        #expect(encoded(.empty) == [0, 0])
    }

    /// A replica that holds a later change set of another replica holds its earlier ones.
    @Test func `the later of two entries of one replica stays`() throws {
        let replica = ReplicaID(high: 1, low: 2)
        let entries = [5, 9, 7].map {
            CausalContext.Entry(dot: Dot(replica: replica, sequence: $0), originPrefix: $0)
        }
        let context = CausalContext(beyond: entries)
        #expect(context.beyond == [entries[1]])
        #expect(try decoded(encoded(context)) == context)
    }

    @Test(arguments: 0...5) func `the last change set of each replica is found`(count: UInt64) {
        let dots = (0..<count).map {
            Dot(replica: ReplicaID(high: 2 * $0 + 1, low: 0), sequence: $0 + 1)
        }
        let context = CausalContext(beyond: dots.map { .init(dot: $0, originPrefix: 0) })
        for dot in dots { #expect(context.last(of: dot.replica) == dot) }
        for high in 0...count {
            #expect(context.last(of: ReplicaID(high: 2 * high, low: 0)) == nil)
        }
    }

    @Test func `entries out of order are refused`() {
        let entry = { (high: UInt64) in
            CausalContext(
                beyond: [
                    .init(
                        dot: Dot(replica: ReplicaID(high: high, low: 0), sequence: 1),
                        originPrefix: 0)
                ])
        }
        let (first, second) = (encoded(entry(1)).dropFirst(2), encoded(entry(2)).dropFirst(2))
        #expect(throws: Never.self) { try decoded([0, 2] + first + second) }
        #expect(failure(of: [0, 2] + second + first)?.code == .malformed)
        #expect(failure(of: [0, 2] + first + first)?.code == .malformed)
    }

    @Test func `numbers beyond the limits are refused with their offset`() {
        var position = ByteWriter()
        position.append(byte: 1)
        position.append(replica: ReplicaID(high: 0, low: 0))
        position.append(varint: 1 << 53)
        position.append(count: 0)
        #expect(failure(of: position.bytes)?.code == .limitExceeded)
        // These are 25 bytes of an entry with the sequence number zero.
        #expect(failure(of: [0, 1] + [UInt8](repeating: 0, count: 25))?.code == .limitExceeded)
        #expect(failure(of: [2, 0])?.code == .malformed)
    }

    @Test func `a claim of many entries allocates nothing`() {
        let claimed: [UInt8] = [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(failure(of: claimed)?.code == .truncated)
    }

    private func encoded(_ context: CausalContext) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(context: context)
        return writer.bytes
    }

    private func decoded(_ bytes: [UInt8]) throws(ChangeSetDecodingError) -> CausalContext {
        var reader = ByteReader(bytes)
        let context = try reader.readContext()
        try reader.expectEnd()
        return context
    }

    private func failure(of bytes: [UInt8]) -> ChangeSetDecodingError? {
        #expect(throws: ChangeSetDecodingError.self) { try decoded(bytes) }
    }
}
