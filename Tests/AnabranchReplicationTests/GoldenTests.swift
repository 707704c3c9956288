import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Bytes of version 1 of the format, which stay readable for ever.
///
/// The files were written by a separate encoder in another language, from
/// `Documentation/FileFormat.md` alone. They are never rewritten.
@Suite struct GoldenTests {
    let a = ReplicaID(bytes: 0xA0...0xAF) ?? ReplicaID(high: 0, low: 0)
    let b = ReplicaID(bytes: 0xB0...0xBF) ?? ReplicaID(high: 0, low: 0)
    let epoch = EpochID(bytes: 0xE0...0xEF) ?? EpochID(high: 0, low: 0)
    let early = HybridTimestamp(wallMilliseconds: 1_700_000_000_000)
    let late = HybridTimestamp(wallMilliseconds: 1_700_000_000_500, counter: 3)
    let name = WireProperty(name: "name", type: .string)
    let boss = WireProperty(name: "boss", type: .reference)
    let friends = WireProperty(name: "friends", type: .links, rule: .set)

    @Test func `a save of two new records`() throws {
        try expect(inserts, "golden-1-insert.hex")
    }

    @Test func `a save of an update, links added and removed, and a delete`() throws {
        try expect(edits, "golden-1-edits.hex")
    }

    @Test func `a save with a value of every type, and of a later one`() throws {
        try expect(everyValue, "golden-1-values.hex")
    }

    @Test func `a save that was renamed`() throws {
        let dot = Dot(replica: a, sequence: 3)
        let payload = ChangePayload(blocks: []).encoded(author: a)
        let saved = ChangeSet(
            saving: payload, dot: dot, timestamp: late, previousOrigin: everyValue.origin,
            context: .empty)
        func renamed(_ digest: Digest) -> ChangeSet {
            ChangeSet(
                fromLog: .save, dot: Dot(replica: b, sequence: 2),
                timestamp: HybridTimestamp(rawValue: late.rawValue + 1), author: "", name: "",
                payload: payload, rewrittenFrom: dot, previousOrigin: saved.previousOrigin,
                origin: saved.origin, digest: digest,
                context: CausalContext(prefix: .init(epoch: epoch, position: 300)))
        }
        try expect(renamed(renamed(.zero).computedDigest()), "golden-1-rewritten.hex")
    }

    @Test func `a cursor behind two saves`() throws {
        let cursor = LogCursor(startOf: epoch).advanced(over: inserts).advanced(over: edits)
        var writer = ByteWriter()
        writer.append(cursor: cursor)
        Golden.expect(bytes: writer.bytes, matches: "golden-1-cursor.hex")
        var reader = ByteReader(try Golden.bytes(named: "golden-1-cursor.hex"))
        #expect(try reader.readCursor() == cursor)
    }

    @Test func `a canonical record and the hash of two`() throws {
        let first = record(
            1, name: "Ada", boss: .null,
            links: [.init(property: friends, right: id(2), tags: LinkTags([edits.stamp]))])
        let second = record(2, name: "Zoë", boss: .reference(id(1)), links: [])
        Golden.expect(bytes: first.encoded(), matches: "golden-1-record.hex")
        var hash = CanonicalHash()
        hash.update(first)
        hash.update(second)
        #expect(
            hash.finish().description
                == "42e71e2b9afa87edbb69524cdc973adf095606fecd21537e7e43ed8cd5cc54bf")
    }

    @Test func `an empty state has the digest of no bytes`() {
        #expect(
            CanonicalHash().finish().description
                == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8")
    }

    private func expect(_ changeSet: ChangeSet, _ file: String) throws {
        Golden.expect(bytes: changeSet.encoded(), matches: file)
        let read = try ChangeSet(decoding: Golden.bytes(named: file))
        #expect(read == changeSet)
        #expect(try read.decodedPayload() == changeSet.decodedPayload())
    }

    private func id(_ number: UInt64) -> RecordID { RecordID(replica: a, number: number) }

    private func record(
        _ number: UInt64, name text: String, boss reference: PropertyValue,
        links: [CanonicalRecord.Link]
    ) -> CanonicalRecord {
        let stamp = Stamp(timestamp: early, replica: a)
        return CanonicalRecord(
            id: id(number), entity: "Person",
            cells: [
                .init(property: name, value: .string(text), stamp: stamp),
                .init(property: boss, value: reference, stamp: stamp),
            ], links: links)
    }

    private var inserts: ChangeSet {
        let rows = RowBlock(
            entity: "Person", records: [id(1), id(2)], properties: [boss, name],
            columns: [[.null, .reference(id(1))], [.string("Ada"), .string("Zoë")]])
        return ChangeSet(
            saving: ChangePayload(blocks: [.insert(rows)]).encoded(author: a),
            dot: Dot(replica: a, sequence: 1), timestamp: early, author: "import",
            previousOrigin: .zero, context: .empty)
    }

    private var edits: ChangeSet {
        let rows = RowBlock(
            entity: "Person", records: [id(2)], properties: [name], columns: [[.null]])
        let seen = [
            Stamp(timestamp: early, replica: a),
            Stamp(timestamp: HybridTimestamp(rawValue: late.rawValue - 1), replica: b),
        ]
        func links(_ left: UInt64, _ right: UInt64, _ tags: [Stamp]) -> LinkBlock {
            LinkBlock(
                entity: "Person", property: friends,
                links: [.init(left: id(left), right: id(right), observedTags: tags)])
        }
        let payload = ChangePayload(blocks: [
            .update(rows), .link(links(1, 2, [])), .unlink(links(2, 1, seen)),
            .delete(RecordBlock(entity: "Person", records: [id(2)])),
        ])
        let held = CausalContext.Entry(dot: inserts.dot, originPrefix: inserts.origin.prefix)
        return ChangeSet(
            saving: payload.encoded(author: b), dot: Dot(replica: b, sequence: 1), timestamp: late,
            name: "edit", previousOrigin: .zero,
            context: CausalContext(prefix: .init(epoch: epoch, position: 7), beyond: [held]))
    }

    private var everyValue: ChangeSet {
        let last = RecordID(replica: b, number: Limits.greatestRecordNumber)
        let uuid = (0..<16 as Range<UInt8>).map { $0 }
            .withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        let cells: [(String, WireType, PropertyValue)] = [
            ("bool", .bool, .bool(true)), ("integer16", .integer16, .integer(-32_768)),
            ("integer32", .integer32, .integer(2_147_483_647)),
            ("integer64", .integer64, .integer(.min)), ("float", .float, .double(0.5)),
            ("double", .double, .double(-0.0)),
            ("decimal", .decimal, ExactDecimal("-12.345").map(PropertyValue.decimal) ?? .null),
            ("string", .string, .string("e\u{301}")), ("date", .date, .date(-978_307_200)),
            ("data", .data, .data(Data([0, 0xFF]))), ("uuid", .uuid, .uuid(uuid)),
            ("uri", .uri, .uri("https://example.org/")),
            ("reference", .reference, .reference(last)),
            ("nan", .double, .double(-.signalingNaN)),
            ("later", WireType(rawValue: 99), .unknown(tag: 200, bytes: [1, 2, 3])),
        ]
        let rows = RowBlock(
            entity: "Everything", records: [id(3)],
            properties: cells.map { WireProperty(name: WireName($0.0), type: $0.1) },
            columns: cells.map { [$0.2] })
        let payload = ChangePayload(blocks: [
            .insert(rows), .unknown(operation: 40, bytes: [0xCA, 0xFE]),
        ])
        return ChangeSet(
            saving: payload.encoded(author: a), dot: Dot(replica: a, sequence: 2),
            timestamp: HybridTimestamp(wallMilliseconds: early.wallMilliseconds + 1),
            previousOrigin: inserts.origin,
            context: CausalContext(prefix: .init(epoch: epoch, position: 1 << 40)))
    }
}
