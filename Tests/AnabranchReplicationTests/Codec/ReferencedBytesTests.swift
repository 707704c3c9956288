import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of bytes that a writer references instead of copying.
@Suite struct LargePieceTests {
    private static let large = Data((0..<(1 << 20) + 5).map { UInt8(truncatingIfNeeded: $0 / 97) })

    private static func writer() -> ByteWriter {
        var inner = ByteWriter()
        inner.append(string: "inner")
        inner.append(tagged: .data(large))
        inner.append(byte: 1)
        var writer = ByteWriter()
        writer.append(varint: 300)
        writer.append(block: inner)
        writer.append(slice: [UInt8](large)[7...])
        writer.append(slice: [1, 2, 3][1...])
        writer.append(contentsOf: large)
        writer.append(tagged: .string(String(repeating: "é", count: 1 << 20)))
        return writer
    }

    private static var plain: [UInt8] {
        var inner = ByteWriter()
        inner.append(string: "inner")
        inner.append(byte: PropertyValue.data(large).tag)
        inner.append(count: large.count)
        inner.append(raw: large)
        inner.append(byte: 1)
        var writer = ByteWriter()
        writer.append(varint: 300)
        writer.append(count: inner.count)
        writer.append(raw: inner.bytes)
        writer.append(raw: large.dropFirst(7))
        writer.append(raw: [2, 3])
        writer.append(raw: large)
        let text = Array(String(repeating: "é", count: 1 << 20).utf8)
        writer.append(byte: PropertyValue.string("").tag)
        writer.append(count: text.count)
        writer.append(raw: text)
        return writer.bytes
    }

    @Test func `large values stand where they were appended`() {
        let (writer, plain) = (Self.writer(), Self.plain)
        #expect(writer.count == plain.count)
        #expect(writer.bytes == plain)
        var bytes: [UInt8] = []
        writer.forEachPiece { bytes += $0 }
        #expect(bytes == plain)
        #expect(Digest(of: writer) == Digest(of: plain))
        #expect(SavePart(of: writer) == SavePart(of: plain))
    }

    @Test func `a group has its length in front, and large members where they stand`() throws {
        let members: [(name: WireName, value: PropertyValue)] = [
            ("a", .data(Data(repeating: 1, count: 200))), ("b", .data(Self.large)),
            ("c", .data(Data([5]))), ("d", .data(Self.large)),
        ]
        var body = ByteWriter()
        body.append(count: members.count)
        for member in members {
            body.append(string: member.name.string)
            body.append(byte: WireType.data.rawValue)
            body.append(tagged: member.value)
        }
        let group = try #require(
            GroupValue(members.map { .init(name: $0.name, type: .data, value: $0.value) }))
        var plain = ByteWriter()
        plain.append(byte: PropertyValue.group(group).tag)
        plain.append(block: body.bytes)
        plain.append(byte: 9)
        var writer = ByteWriter()
        writer.append(tagged: .group(group))
        writer.append(byte: 9)
        #expect(writer.count == plain.count)
        #expect(writer.bytes == plain.bytes)
    }

    @Test(arguments: TestLength.isQuick ? [12_345] : [1 << 12, 1 << 20, 12_345, 1 << 30])
    func `large values come in pieces of one size`(size: Int) {
        let plain = Self.plain
        var pieces: [[UInt8]] = []
        Self.writer().forEachPiece(of: size) { pieces.append([UInt8]($0)) }
        #expect(pieces.dropLast().allSatisfy { $0.count == size })
        #expect(pieces.last.map { (1...size).contains($0.count) } == true)
        #expect(Array(pieces.joined()) == plain)
    }

    @Test func `large values are encoded like all others in payloads, records and chunks`() throws {
        let author = ReplicaID(high: 1, low: 1)
        let id = RecordID(replica: author, number: 1)
        let image = WireProperty(name: "image", type: .data)
        let block = ChangeBlock.insert(
            RowBlock(
                entity: "Page", records: [id], properties: [image],
                columns: [[.data(Self.large)]]))
        var encoder = ChangePayloadEncoder(author: author)
        encoder.append(block)
        #expect(encoder.finished().bytes == encoder.finish())
        #expect(try ChangePayload(decoding: encoder.finish(), author: author).blocks == [block])
        let stamp = Stamp(timestamp: HybridTimestamp(rawValue: 5), replica: author)
        let record = CanonicalRecord(
            id: id, entity: "Page",
            cells: [.init(property: image, value: .data(Self.large), stamp: stamp)])
        #expect(try CanonicalRecord(decoding: record.encoded()) == record)
        #expect(StateChecksum(of: record) == StateChecksum(ofRow: record.encoded()))
        var chunk = SnapshotChunkEncoder()
        chunk.append(record)
        let whole = chunk.finish()
        #expect(
            try SnapshotChunk(decoding: whole).rows.first?.block.columns == [[.data(Self.large)]])
        var pieces: [SnapshotPiece] = []
        try SnapshotPiece.cut(ByteWriter(whole), into: 100_000) {
            pieces.append(try #require(try SnapshotPiece(decoding: $0)))
        }
        #expect(pieces.map(\.followingCount) == (0..<UInt64(pieces.count)).reversed())
        #expect(Array(pieces.map(\.bytes).joined()) == whole)
        #expect(try SnapshotPiece(decoding: whole) == nil)
        #expect(throws: ChangeSetDecodingError.self) { try SnapshotPiece(decoding: [2]) }
    }
}
