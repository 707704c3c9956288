import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@Suite struct MessageTests {
    @Test(arguments: TestLength.seeds(400))
    func `every message is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try expectRoundTrip(generator.helloRequest())
        try expectRoundTrip(generator.helloResponse())
        try expectRoundTrip(generator.pullRequest())
        try expectRoundTrip(generator.pullResponse())
        try expectRoundTrip(generator.pushRequest())
        try expectRoundTrip(generator.pushResponse())
        try expectRoundTrip(generator.repairRequest())
        try expectRoundTrip(generator.repairResponse())
        try expectRoundTrip(generator.snapshotRequest())
        try expectRoundTrip(generator.snapshotResponse())
        try expectRoundTrip(generator.checksumsRequest())
        try expectRoundTrip(generator.checksumsResponse())
        try expectRoundTrip(generator.stageRequest())
        try expectRoundTrip(generator.stageResponse())
        try expectRoundTrip(generator.partRequest())
        try expectRoundTrip(generator.partResponse())
    }

    @Test(arguments: TestLength.seeds(32))
    func `every beginning of a message is refused`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        expectBeginningsRefused(generator.helloRequest())
        expectBeginningsRefused(generator.helloResponse())
        expectBeginningsRefused(generator.pullRequest())
        expectBeginningsRefused(generator.pullResponse())
        expectBeginningsRefused(generator.pushRequest())
        expectBeginningsRefused(generator.pushResponse())
        expectBeginningsRefused(generator.repairRequest())
        expectBeginningsRefused(generator.repairResponse())
        expectBeginningsRefused(generator.snapshotRequest())
        expectBeginningsRefused(generator.snapshotResponse())
        expectBeginningsRefused(generator.checksumsRequest())
        expectBeginningsRefused(generator.checksumsResponse())
        expectBeginningsRefused(generator.stageRequest())
        expectBeginningsRefused(generator.stageResponse())
        expectBeginningsRefused(generator.partRequest())
        expectBeginningsRefused(generator.partResponse())
    }

    @Test(arguments: TestLength.seeds(32))
    func `every single changed byte gives a message or an error`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        expectMutationsSafe(generator.helloRequest())
        expectMutationsSafe(generator.helloResponse())
        expectMutationsSafe(generator.pullRequest())
        expectMutationsSafe(generator.pullResponse())
        expectMutationsSafe(generator.pushRequest())
        expectMutationsSafe(generator.pushResponse())
        expectMutationsSafe(generator.repairRequest())
        expectMutationsSafe(generator.repairResponse())
        expectMutationsSafe(generator.snapshotRequest())
        expectMutationsSafe(generator.snapshotResponse())
        expectMutationsSafe(generator.checksumsRequest())
        expectMutationsSafe(generator.checksumsResponse())
        expectMutationsSafe(generator.stageRequest())
        expectMutationsSafe(generator.stageResponse())
        expectMutationsSafe(generator.partRequest())
        expectMutationsSafe(generator.partResponse())
    }

    @Test(arguments: TestLength.seeds(1200))
    func `random bytes give a message or an error`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...150, using: &generator)
        let bytes = [SyncProtocol.version] + generator.bytes(count: count)
        for bytes in [bytes, bytes.map { $0 & 3 }].map(MessageChecksum.sealing) {
            _ = try? HelloRequest(decoding: bytes)
            _ = try? HelloResponse(decoding: bytes)
            _ = try? PullRequest(decoding: bytes)
            _ = try? PullResponse(decoding: bytes)
            _ = try? PushRequest(decoding: bytes)
            _ = try? PushResponse(decoding: bytes)
            _ = try? SnapshotRequest(decoding: bytes)
            _ = try? SnapshotResponse(decoding: bytes)
            _ = try? ChecksumsRequest(decoding: bytes)
            _ = try? ChecksumsResponse(decoding: bytes)
        }
    }

    @Test func `a range without an identity is refused`() throws {
        var generator = SeededGenerator(seed: 4)
        let record = generator.recordID()
        let request = ChecksumsRequest(
            epoch: generator.replica(), ranges: [RecordRange(lower: record, upper: record)])
        let error = #expect(throws: ProtocolError.self) {
            try ChecksumsRequest(decoding: request.encoded())
        }
        #expect(error?.code == .malformedRequest)
    }

    @Test func `a summary of an unknown kind is of a later version`() throws {
        let response = ChecksumsResponse(
            position: 1, wallMilliseconds: 0, checksum: .zero, summaries: [.records([])])
        var bytes = Array(response.encoded().dropLast(MessageChecksum.byteCount))
        bytes[bytes.count - 2] = 9
        let error = #expect(throws: ProtocolError.self) {
            try ChecksumsResponse(decoding: MessageChecksum.sealing(bytes))
        }
        #expect(error?.code == .unsupportedVersion)
    }

    /// Change sets have digests. Causal contexts, cursors and positions do not.
    @Test func `a changed bit anywhere is noticed`() {
        var generator = SeededGenerator(seed: 3)
        expectSealed(
            PushRequest(
                epoch: generator.replica(), changeSets: [generator.changeSet().encoded()]))
        expectSealed(generator.pushResponse())
        expectSealed(generator.repairRequest())
        expectSealed(generator.repairResponse())
        expectSealed(generator.pullRequest())
        expectSealed(generator.pullResponse())
        expectSealed(generator.helloResponse())
    }

    private func expectSealed<Body: Message>(_ message: Body) {
        let bytes = message.encoded()
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(throws: ProtocolError.self) { try Body(decoding: changed) }
        }
    }

    @Test func `a pull with nothing new takes at most 64 bytes each way`() {
        let cursor = LogCursor(
            epoch: ReplicaID(high: .max, low: .max), position: Limits.greatestSequence,
            digestHigh: .max, digestLow: .max)
        let request = PullRequest(cursor: cursor, byteLimit: Limits.greatestSequence)
        let response = PullResponse(
            cursor: cursor, headPosition: Limits.greatestSequence, wallMilliseconds: 1 << 47,
            changeSets: [])
        #expect(request.encoded().count <= 64)
        #expect(response.encoded().count <= 64)
    }

    @Test func `claims of many change sets allocate nothing`() {
        let replica = [UInt8](repeating: 0, count: 16)
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        let request = MessageChecksum.sealing([1] + replica + huge)
        let response = MessageChecksum.sealing([1] + huge)
        #expect(throws: ProtocolError.self) { try PushRequest(decoding: request) }
        #expect(throws: ProtocolError.self) { try PushResponse(decoding: response) }
        // There are bytes for a thousand empty blocks, but none of them is a change set.
        let empty = [1] + replica + [0xE8, 0x07] + [UInt8](repeating: 0, count: 1_008)
        #expect(throws: ProtocolError.self) {
            try PushRequest(decoding: MessageChecksum.sealing(empty))
        }
    }

    @Test func `numbers that could overflow later are refused`() {
        var generator = SeededGenerator(seed: 4)
        var position = generator.pullResponse()
        position.headPosition = 1 << 53
        expectRefused(position)
        var limit = generator.pullRequest()
        limit.byteLimit = .max
        expectRefused(limit)
        var head = generator.helloRequest()
        head.last = .init(sequence: 0, origin: .zero)
        expectRefused(head)
        head.last = .init(sequence: 1 << 53, origin: .zero)
        expectRefused(head)
        var response = generator.helloResponse()
        response.earlierEpochs = []
        var flag = response.unsealed
        // After version, epoch and count comes the varint of the position, then the flag.
        let place = (flag[18...].firstIndex { $0 < 0x80 } ?? 0) + 1
        flag[place] = 2
        #expect(throws: ProtocolError.self) {
            try HelloResponse(decoding: MessageChecksum.sealing(flag))
        }
    }

    @Test func `a clock that is set beyond all bounds counts as set to the bound`() throws {
        var generator = SeededGenerator(seed: 5)
        for wall in [Int64.min, .max] {
            var request = generator.helloRequest()
            request.wallMilliseconds = wall
            let read = try HelloRequest(decoding: request.encoded())
            #expect(read.wallMilliseconds == (wall < 0 ? -(1 << 53) : 1 << 53))
        }
        var bytes = generator.helloRequest().unsealed
        bytes.replaceSubrange((bytes.count - 8)..., with: [0, 0, 0, 0, 0, 0, 0, 0x80])
        #expect(throws: ProtocolError.self) {
            try HelloRequest(decoding: MessageChecksum.sealing(bytes))
        }
    }

    private func expectRoundTrip<Body: Message>(_ message: Body) throws {
        #expect(try Body(decoding: message.encoded()) == message)
        #expect(try Body(decoding: message.encoded()).encoded() == message.encoded())
        #expect(throws: ProtocolError.self) { try Body(decoding: message.encoded() + [0]) }
    }

    private func expectBeginningsRefused<Body: Message>(_ message: Body) {
        let bytes = message.encoded()
        for count in bytes.indices {
            #expect(throws: ProtocolError.self) { try Body(decoding: Array(bytes.prefix(count))) }
        }
    }

    private func expectMutationsSafe<Body: Message>(_ message: Body) {
        let bytes = message.unsealed
        for place in bytes.indices {
            for byte in [0, 2, 0x80, 0xFF, bytes[place] ^ 1] as [UInt8] {
                var changed = bytes
                changed[place] = byte
                // Both results are right. A trap is not.
                guard let other = try? Body(decoding: MessageChecksum.sealing(changed)) else {
                    continue
                }
                // The comparison is by bytes: equal strings may have different spellings.
                let isSame = other.encoded() == message.encoded()
                #expect(isSame == (changed == bytes), "\(Body.title) at \(place)")
            }
        }
    }

    private func expectRefused<Body: Message>(_ message: Body) {
        let error = #expect(throws: ProtocolError.self) { try Body(decoding: message.encoded()) }
        #expect(error?.code == .malformedRequest)
    }
}

extension Message {
    /// The bytes that the seal covers, so that a test can change and seal them again.
    fileprivate var unsealed: [UInt8] { Array(encoded().dropLast(MessageChecksum.byteCount)) }
}
