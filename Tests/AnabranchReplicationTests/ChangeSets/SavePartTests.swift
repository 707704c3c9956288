import AnabranchReplication
import TestSupport
import Testing

@Suite struct `A save in parts` {
    private static let author = ReplicaID(bytes: 0xA0...0xAF) ?? ReplicaID(high: 0, low: 0)

    /// Parts that are kept in memory.
    private final class Parts: PartStore {
        private(set) var kept: [SavePart: [UInt8]] = [:]
        private struct Missing: Error {}

        func bytes(of part: SavePart) throws -> [UInt8] {
            guard let bytes = kept[part] else { throw Missing() }
            return bytes
        }

        func keep(_ bytes: ByteWriter) throws -> SavePart {
            let part = SavePart(of: bytes)
            kept[part] = bytes.bytes
            return part
        }
    }

    /// Returns the save with each block in a separate part.
    private static func cut(
        _ blocks: [ChangeBlock], of whole: ChangeSet, _ parts: Parts
    ) throws -> ChangeSet {
        let list = try blocks.map {
            let payload = ChangePayload(blocks: [$0]).encoded(author: whole.dot.replica)
            return try parts.keep(ByteWriter(payload))
        }
        return ChangeSet(
            saving: PartList(list).encoded(), as: .saveInParts, dot: whole.dot,
            timestamp: whole.timestamp, previousOrigin: whole.previousOrigin,
            context: whole.context)
    }

    private static func insert(_ numbers: ClosedRange<UInt64>) -> ChangeBlock {
        .insert(
            RowBlock(
                entity: "Person",
                records: numbers.map { RecordID(replica: author, number: $0) },
                properties: [WireProperty(name: "name", type: .string)],
                columns: [ValueColumn(numbers.map { .string("P\($0)") })]))
    }

    private static let blocks = [insert(1...3), insert(4...4), insert(5...9)]

    private static func whole() -> ChangeSet {
        ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: author),
            dot: Dot(replica: author, sequence: 1),
            timestamp: HybridTimestamp(wallMilliseconds: 1_700_000_000_000),
            previousOrigin: .zero, context: .empty)
    }

    @Test func `is read block by block, as the whole is`() throws {
        let parts = Parts()
        let set = try Self.cut(Self.blocks, of: Self.whole(), parts)
        let read = try ChangeSet(decoding: set.encoded())
        #expect(read == set && read.kind == .saveInParts)
        #expect(try read.parts().count == 3)
        #expect(read.savedBytes == parts.kept.values.reduce(0) { $0 + $1.count })
        var blocks: [ChangeBlock] = []
        try read.forEachBlock(parts) { blocks.append($0) }
        #expect(blocks == Self.blocks)
        #expect(try read.joined(parts).decodedPayload().blocks == Self.blocks)
        // No caller can take it for a save without operations.
        let error = #expect(throws: ChangeSetDecodingError.self) { try read.decodedPayload() }
        #expect(error?.code == .inParts)
    }

    @Test func `has the bytes that are documented`() throws {
        let parts = [
            SavePart(digest: Digest(of: [1]), byteCount: 1),
            SavePart(digest: Digest(of: [2]), byteCount: 300),
        ]
        let list = PartList(parts)
        var expected: [UInt8] = [1, 2]
        expected += Digest(of: [1]).bytes + [1]
        expected += Digest(of: [2]).bytes + [0xAC, 0x02]
        #expect(list.encoded() == expected)
        #expect(try PartList(decoding: expected) == list)
        let set = ChangeSet(
            saving: list.encoded(), as: .saveInParts, dot: Dot(replica: Self.author, sequence: 7),
            timestamp: HybridTimestamp(wallMilliseconds: 1_700_000_000_000), author: "import",
            previousOrigin: Digest(of: [3]), context: .empty)
        Golden.expect(bytes: set.encoded(), matches: "golden-1-parts.hex")
        #expect(try ChangeSet(decoding: Golden.bytes(named: "golden-1-parts.hex")) == set)
    }

    @Test func `a save with an impossible list of parts is refused`() throws {
        let digest = Digest(of: [1]).bytes
        let wrong: [[UInt8]] = [
            [], [2, 1] + digest + [1], [1, 0], [1, 1] + digest, [1, 1] + digest + [0],
            [1, 1] + digest + [1, 0], [1, 2] + digest + [1],
            [1, 0xFF, 0xFF, 0xFF, 0x7F] + digest + [1],
            [1, 1] + digest + [0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        ]
        for bytes in wrong {
            #expect(throws: ChangeSetDecodingError.self) { try PartList(decoding: bytes) }
            // The same holds in a change set, before it is applied.
            let set = ChangeSet(
                saving: bytes, as: .saveInParts, dot: Dot(replica: Self.author, sequence: 1),
                timestamp: .zero, previousOrigin: .zero, context: .empty)
            #expect(throws: ChangeSetDecodingError.self) {
                try ChangeSet(decoding: set.encoded())
            }
        }
    }

    @Test func `is renamed as the whole is`() throws {
        let parts = Parts()
        let whole = Self.whole()
        let cut = try Self.cut(Self.blocks, of: whole, parts)
        let name = Rewriting.Name(
            dot: Dot(replica: ReplicaID(high: 9, low: 9), sequence: 1), timestamp: whole.timestamp)
        var (plain, parted) = (Rewriting(), Rewriting())
        try plain.rename(whole, to: name)
        try parted.rename(cut, to: name, parts)
        #expect(parted.records == plain.records && parted.records.count == 9)
        let renamed = try parted.rewritten(cut, parts)
        #expect(renamed.origin == cut.origin && renamed.dot == name.dot)
        #expect(try ChangeSet(decoding: renamed.encoded()) == renamed)
        var blocks: [ChangeBlock] = []
        try renamed.forEachBlock(parts) { blocks.append($0) }
        #expect(try blocks == plain.rewritten(whole).decodedPayload().blocks)
        // A caller without the parts can't rewrite it.
        #expect(throws: ChangeSetDecodingError.self) { try parted.rewritten(cut) }
    }

    @Test func `keeps its parts where only its time changes`() throws {
        let parts = Parts()
        let cut = try Self.cut(Self.blocks, of: Self.whole(), parts)
        var rewriting = Rewriting()
        let earlier = HybridTimestamp(rawValue: cut.timestamp.rawValue - 5)
        try rewriting.rename(cut, to: .init(dot: cut.dot, timestamp: earlier), parts)
        let stamped = try rewriting.rewritten(cut, parts)
        #expect(stamped.timestamp == earlier && stamped.payload == cut.payload)
        #expect(parts.kept.count == 3)
    }

    @Test func `goes into a bundle behind its parts`() throws {
        let parts = Parts()
        let cut = try Self.cut(Self.blocks, of: Self.whole(), parts)
        let header = BundleHeader(sender: Self.author, wallMilliseconds: 0, heads: [])
        var encoder = BundleEncoder()
        var bytes = encoder.begin(header, hasParts: true)
        for part in try cut.parts() {
            bytes += encoder.begin(part)
            bytes += encoder.append(piece: try parts.bytes(of: part))
        }
        bytes += encoder.append(cut)
        bytes += encoder.finish()
        var items: [String] = []
        var parser = BundleParser()
        for byte in bytes {
            parser.feed([byte])
            while let item = try parser.next() {
                switch item {
                case .header: items.append("header")
                case .part(let bytes):
                    items.append(parts.kept[SavePart(of: bytes)] == nil ? "?" : "part")
                case .changeSet(let set): items.append(set == cut ? "set" : "?")
                case .end(let count): items.append("end \(count)")
                }
            }
        }
        try parser.finish()
        #expect(items == ["header", "part", "part", "part", "set", "end 1"])
        // The version says so, and a reader without support for parts reads nothing of it.
        #expect(bytes[8] == 2)
        bytes[8] = 1
        var older = BundleParser()
        older.feed(bytes)
        #expect(throws: ChangeSetDecodingError.self) { while try older.next() != nil {} }
    }
}
