import AnabranchReplication
import TestSupport
import Testing

@Suite struct ChangeSetTests {
    @Test(arguments: TestLength.seeds(800))
    func `a change set is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let changeSet = generator.changeSet()
        let bytes = changeSet.encoded()
        let decoded = try ChangeSet(decoding: bytes)
        #expect(decoded == changeSet)
        #expect(decoded.encoded() == bytes)
        #expect(decoded.computedDigest() == decoded.digest)
        #expect(throws: Never.self) { try decoded.decodedPayload() }
    }

    @Test func `the shortest change set is as short as said`() {
        let shortest = ChangeSet(
            saving: [], dot: dot(1), timestamp: .zero, previousOrigin: .zero, context: .empty)
        #expect(shortest.encoded().count == ChangeSet.leastByteCount)
    }

    @Test func `the origin is that of the previous origin and the digest`() {
        let first = saved(1, after: .zero, name: "first")
        let second = saved(2, after: first.origin, name: "second")
        #expect(first.origin == Digest(of: Digest.zero.bytes + first.digest.bytes))
        #expect(second.origin == Digest(of: first.origin.bytes + second.digest.bytes))
    }

    @Test func `the context is no part of digest and origin`() throws {
        var changeSet = saved(1, after: .zero, name: "")
        let before = changeSet
        changeSet.context = CausalContext(prefix: .init(epoch: dot(1).replica, position: 9))
        let carried = try ChangeSet(decoding: changeSet.encoded())
        #expect(carried.origin == before.origin && carried.digest == before.digest)
        #expect(carried.context == changeSet.context)
    }

    @Test func `a set with another origin or previous origin is refused`() {
        let changeSet = saved(1, after: .zero, name: "set")
        for (previous, origin) in [
            (Digest.zero, changeSet.digest), (changeSet.digest, changeSet.origin),
        ] {
            let forged = ChangeSet(
                fromLog: .save, dot: changeSet.dot, timestamp: changeSet.timestamp, author: "",
                name: "set", payload: changeSet.payload, rewrittenFrom: nil,
                previousOrigin: previous, origin: origin, digest: changeSet.digest,
                context: .empty)
            let error = #expect(throws: ChangeSetDecodingError.self) {
                try ChangeSet(decoding: forged.encoded())
            }
            #expect(error?.code == .digestMismatch)
            #expect(throws: Never.self) {
                try ChangeSet(decoding: forged.encoded(), checkingDigest: false)
            }
        }
    }

    @Test func `a rewritten set keeps its origin and says its digest`() throws {
        let changeSet = saved(1, after: .zero, name: "set")
        func rewritten(_ digest: Digest) -> ChangeSet {
            ChangeSet(
                fromLog: .save, dot: dot(5), timestamp: .zero, author: "", name: "set",
                payload: changeSet.payload, rewrittenFrom: dot(1), previousOrigin: .zero,
                origin: changeSet.origin, digest: digest, context: .empty)
        }
        let whole = rewritten(rewritten(.zero).computedDigest())
        let decoded = try ChangeSet(decoding: whole.encoded())
        #expect(decoded == whole)
        #expect(decoded.origin == changeSet.origin && decoded.digest != changeSet.digest)
        let error = #expect(throws: ChangeSetDecodingError.self) {
            try ChangeSet(decoding: rewritten(changeSet.digest).encoded())
        }
        #expect(error?.code == .digestMismatch)
    }

    @Test func `later versions and kinds say that the program is too old`() {
        var bytes = saved(1, after: .zero, name: "").encoded()
        bytes[0] = 2
        #expect(failure(of: bytes)?.code == .unsupportedVersion)
        bytes[0] = ChangeSet.version
        for kind in [4, 5, 255] as [UInt8] {
            bytes[2] = kind
            #expect(failure(of: bytes)?.code == .unsupportedVersion)
        }
    }

    @Test func `bytes behind the end are refused`() {
        let bytes = saved(1, after: .zero, name: "").encoded() + [0]
        #expect(failure(of: bytes)?.code == .malformed)
    }

    @Test func `the stamp is the set's time and author`() {
        let changeSet = saved(1, after: .zero, name: "")
        #expect(changeSet.stamp == Stamp(timestamp: changeSet.timestamp, replica: dot(1).replica))
    }

    private func dot(_ sequence: UInt64) -> Dot {
        Dot(replica: ReplicaID(high: 1, low: 2), sequence: sequence)
    }

    private func saved(_ sequence: UInt64, after origin: Digest, name: String) -> ChangeSet {
        ChangeSet(
            saving: ChangePayload(blocks: []).encoded(author: dot(1).replica), dot: dot(sequence),
            timestamp: HybridTimestamp(wallMilliseconds: Int64(sequence)), name: name,
            previousOrigin: origin, context: .empty)
    }

    private func failure(of bytes: [UInt8]) -> ChangeSetDecodingError? {
        #expect(throws: ChangeSetDecodingError.self) { try ChangeSet(decoding: bytes) }
    }
}
