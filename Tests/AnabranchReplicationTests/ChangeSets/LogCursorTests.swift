import AnabranchReplication
import TestSupport
import Testing

@Suite struct LogCursorTests {
    @Test(arguments: TestLength.seeds(200))
    func `a cursor is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let cursor = generator.cursor()
        var writer = ByteWriter()
        writer.append(cursor: cursor)
        var reader = ByteReader(writer.bytes)
        #expect(try reader.readCursor() == cursor)
        #expect(reader.isAtEnd)
    }

    /// The running digest is the first 16 bytes of H(16 bytes of the previous running digest ‖ kind
    /// ‖ dot ‖ digest ‖ origin).
    @Test func `the running digest is that of the documented bytes`() throws {
        var generator = SeededGenerator(seed: 1)
        let start = LogCursor(
            epoch: generator.replica(), position: 4, digestHigh: generator.next(),
            digestLow: generator.next())
        let changeSet = generator.changeSet()
        let next = start.advanced(over: changeSet)

        var entry = ReplicaID(high: start.digestHigh, low: start.digestLow).bytes
        entry += [0] + changeSet.dot.replica.bytes
        var sequence = ByteWriter()
        sequence.append(varint: changeSet.dot.sequence)
        entry += sequence.bytes + changeSet.digest.bytes + changeSet.origin.bytes
        let running = Array(Digest(of: entry).bytes.prefix(16))
        #expect(ReplicaID(high: next.digestHigh, low: next.digestLow).bytes == running)
        #expect(next.position == 5)
        #expect(next.epoch == start.epoch)
    }

    @Test func `a log that differs anywhere gives another cursor for ever after`() {
        var generator = SeededGenerator(seed: 2)
        let sets = (0..<4).map { _ in generator.changeSet() }
        let other = generator.changeSet()
        let start = LogCursor(startOf: generator.replica())
        let end = sets.reduce(start) { $0.advanced(over: $1) }
        for place in sets.indices {
            var changed = sets
            changed[place] = other
            #expect(changed.reduce(start) { $0.advanced(over: $1) } != end)
        }
        let swapped = [sets[1], sets[0], sets[2], sets[3]]
        #expect(swapped.reduce(start) { $0.advanced(over: $1) } != end)
        #expect(end.position == 4)
    }

    @Test func `a position that could overflow is refused`() {
        var writer = ByteWriter()
        writer.append(replica: ReplicaID(high: 1, low: 1))
        writer.append(varint: .max)
        writer.append(raw: [UInt8](repeating: 0, count: 16))
        let error = #expect(throws: ChangeSetDecodingError.self) {
            var reader = ByteReader(writer.bytes)
            _ = try reader.readCursor()
        }
        #expect(error?.code == .limitExceeded)
    }
}
