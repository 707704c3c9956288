import AnabranchReplication
import TestSupport
import Testing

@Suite struct ByteCodecTests {
    @Test(arguments: 0..<64 as Range<UInt64>)
    func `numbers around every power of two are read as written`(shift: UInt64) throws {
        let power: UInt64 = 1 << shift
        for number in [power &- 1, power, power &+ 1, .max - power, .max] {
            var writer = ByteWriter()
            writer.append(varint: number)
            let bits = 64 - number.leadingZeroBitCount
            #expect(writer.count == max(1, (bits + 6) / 7))
            var reader = ByteReader(writer.bytes)
            #expect(try reader.readVarint() == number)
            #expect(reader.isAtEnd)

            let signed = Int64(bitPattern: number)
            for value in [signed, ~signed, 0 &- signed] {
                var writer = ByteWriter()
                writer.append(signed: value)
                var reader = ByteReader(writer.bytes)
                #expect(try reader.readSigned() == value)
            }
        }
    }

    @Test func `small magnitudes of either sign take one byte`() {
        for value in -64...63 as ClosedRange<Int64> {
            var writer = ByteWriter()
            writer.append(signed: value)
            #expect(writer.count == 1)
        }
    }

    @Test(
        arguments: [
            [0x80, 0x00], [0x81, 0x80, 0x00], [0xFF, 0x00],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x00],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ] as [[UInt8]])
    func `a number that is longer than it must be, or overflows, is refused`(bytes: [UInt8]) {
        #expect(failure(bytes) { reader in try reader.readVarint() }?.code == .malformed)
    }

    @Test(arguments: [[], [0x80], [0xFF, 0xFF]] as [[UInt8]])
    func `a number that ends early is refused at its end`(bytes: [UInt8]) {
        let error = failure(bytes) { reader in try reader.readVarint() }
        #expect(error?.code == .truncated)
        #expect(error?.offset == bytes.count)
    }

    @Test func `a length beyond the bytes allocates nothing`() {
        var writer = ByteWriter()
        writer.append(varint: .max)
        let bytes = writer.bytes + [1, 2, 3]
        #expect(failure(bytes) { reader in try reader.readBlock() }?.code == .truncated)
        #expect(failure(bytes) { reader in try reader.readString() }?.code == .truncated)
        #expect(failure(bytes) { reader in try reader.readNested() }?.code == .truncated)
        #expect(failure([4, 0, 0, 0]) { reader in try reader.readBlock() }?.code == .truncated)
    }

    @Test func `a count is refused where its things could not follow`() {
        let bytes: [UInt8] = [3, 0, 0, 0, 0, 0]
        #expect(throws: Never.self) {
            var reader = ByteReader(bytes)
            _ = try reader.readCount()
        }
        #expect(failure(bytes) { reader in try reader.readCount(ofAtLeast: 2) }?.code == .truncated)
    }

    @Test(
        arguments: [[1, 0x80], [2, 0xC3, 0x28], [3, 0xED, 0xA0, 0x80], [2, 0xC0, 0x80]] as [[UInt8]]
    )
    func `a text that is not UTF-8 is refused, not repaired`(bytes: [UInt8]) {
        #expect(failure(bytes) { reader in try reader.readString() }?.code == .malformed)
    }

    @Test func `a name has at most 1024 bytes`() throws {
        for (count, isRefused) in [(1024, false), (1025, true)] {
            var writer = ByteWriter()
            writer.append(string: String(repeating: "n", count: count))
            if isRefused {
                #expect(failure(writer.bytes) { try $0.readName() }?.code == .limitExceeded)
            } else {
                var reader = ByteReader(writer.bytes)
                #expect(try reader.readName().utf8.count == count)
            }
        }
    }

    @Test func `a nested reader ends at its end and reports offsets from the start`() throws {
        var outer = ByteReader([9, 2, 7, 8, 5])
        _ = try outer.readByte()
        var inner = try outer.readNested()
        #expect(try [inner.readByte(), inner.readByte()] == [7, 8])
        let error = #expect(throws: ChangeSetDecodingError.self) { try inner.readByte() }
        #expect(error?.code == .truncated)
        #expect(error?.offset == 4)
        #expect(try outer.readByte() == 5)
        #expect(outer.isAtEnd)
    }

    @Test func `values out of bounds or not in canonical form are refused`() {
        let refused: [[UInt8]] = [
            [1, 2],  // a flag of 2
            [4, 0, 0, 0, 10],  // a decimal with a trailing zero
            [4, 1, 0, 0, 0],  // minus zero
            [4, 0, 2, 0, 0],  // a zero with an exponent
            [4, 0, 0x81, 0x02, 0, 1],  // 1e-129
            [4, 2, 0, 0, 1],  // a sign of 2
            [11], [15, 0],  // tags that version 1 does not have
        ]
        for bytes in refused {
            #expect(failure(bytes) { reader in try reader.readTagged() }?.code == .malformed)
        }
        let zeroNumber = [10] + [UInt8](repeating: 1, count: 16) + [0]
        #expect(failure(zeroNumber) { try $0.readTagged() }?.code == .limitExceeded)
    }

    @Test func `stamps and dots beyond the limits are refused`() {
        let replica = [UInt8](repeating: 0, count: 16)
        let stamp = [UInt8](repeating: 0xFF, count: 8) + replica
        #expect(failure(stamp) { try $0.readStamp() }?.code == .limitExceeded)
        #expect(failure(replica + [0]) { try $0.readDot() }?.code == .limitExceeded)
        var writer = ByteWriter()
        writer.append(varint: Limits.greatestSequence + 1)
        #expect(failure(replica + writer.bytes) { try $0.readDot() }?.code == .limitExceeded)
    }

    private func failure<Part>(
        _ bytes: [UInt8],
        _ read: (inout ByteReader) throws -> Part
    ) -> ChangeSetDecodingError? {
        var reader = ByteReader(bytes)
        do {
            _ = try read(&reader)
            return nil
        } catch let error as ChangeSetDecodingError {
            return error
        } catch {
            Issue.record(error)
            return nil
        }
    }
}
