import AnabranchReplication
import TestSupport
import Testing

@Suite struct ChangePayloadTests {
    let author = ReplicaID(high: 1, low: 1)
    let other = ReplicaID(high: 2, low: 2)

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a payload is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let author = generator.replica()
        let payload = generator.payload(author: author)
        let bytes = payload.encoded(author: author)
        let decoded = try ChangePayload(decoding: bytes, author: author)
        #expect(decoded == payload)
        #expect(decoded.encoded(author: author) == bytes)
    }

    @Test func `an empty payload takes four bytes`() {
        #expect(ChangePayload(blocks: []).encoded(author: author) == [1, 0, 0, 0])
    }

    @Test func `rows filled value by value are those of a whole block`() throws {
        let properties = [
            WireProperty(name: "a", type: .integer64), .init(name: "b", type: .string),
        ]
        let records = (1...3).map { RecordID(replica: author, number: $0) }
        var encoder = ChangePayloadEncoder(author: author)
        var rows = encoder.rows(inserting: true, entity: "E", properties: properties)
        for (index, record) in records.enumerated() {
            rows.append(record: record)
            rows.append(.integer(Int64(index)), toColumn: 0)
            rows.append(.null, toColumn: 1)
        }
        encoder.append(rows)
        let whole = RowBlock(
            entity: "E", records: records, properties: properties,
            columns: [(0..<3).map { .integer($0) }, [.null, .null, .null]])
        #expect(encoder.isWithinLimits)
        #expect(encoder.finish() == ChangePayload(blocks: [.insert(whole)]).encoded(author: author))
    }

    @Test func `a column of nulls costs its runs only`() {
        let records = (1...1_000).map { RecordID(replica: author, number: $0) }
        func size(_ properties: [WireProperty]) -> Int {
            let rows = RowBlock(
                entity: "E", records: records, properties: properties,
                columns: properties.map { _ in records.map { _ in Value.null } })
            return ChangePayload(blocks: [.insert(rows)]).encoded(author: author).count
        }
        let property = WireProperty(name: "p", type: .string)
        // Name and table entry 4, index 1, length 1, run count 1, tag 1, count 2, no bytes 1.
        #expect(size([property]) - size([]) <= 12)
    }

    @Test func `operations and values of later formats are kept as they came`() throws {
        let property = WireProperty(name: "p", type: .string)
        let rows = RowBlock(
            entity: "E", records: [RecordID(replica: author, number: 1)], properties: [property],
            columns: [[.unknown(tag: 77, bytes: [1, 2, 3])]])
        let payload = ChangePayload(blocks: [
            .unknown(operation: 9, bytes: [0xFF, 0, 0xFF]), .update(rows),
            .unknown(operation: .max, bytes: []),
        ])
        let bytes = payload.encoded(author: author)
        #expect(try ChangePayload(decoding: bytes, author: author) == payload)
        #expect(payload.hasUnknownRules)
    }

    @Test func `only registers of the last writer and links as sets can be merged`() {
        func canMerge(_ type: WireType, _ rule: MergeRule) -> Bool {
            let property = WireProperty(name: "p", type: type, rule: rule)
            let block: ChangeBlock =
                type == .links
                ? .link(LinkBlock(entity: "E", property: property, links: []))
                : .update(
                    RowBlock(entity: "E", records: [], properties: [property], columns: [[]]))
            return !ChangePayload(blocks: [block]).hasUnknownRules
        }
        #expect(canMerge(.string, .lastWriter))
        #expect(canMerge(WireType(rawValue: 99), .lastWriter))
        #expect(canMerge(.links, .set))
        #expect(!canMerge(.string, .set))
        #expect(!canMerge(.links, .lastWriter))
        #expect(!canMerge(.string, MergeRule(rawValue: 5)))
        #expect(!canMerge(.links, MergeRule(rawValue: 7)))
    }

    @Test func `an inserted record is always its author's`() throws {
        let rows = RowBlock(
            entity: "E", records: [RecordID(replica: other, number: 5)], properties: [],
            columns: [])
        let bytes = ChangePayload(blocks: [.insert(rows)]).encoded(author: author)
        guard case .insert(let read) = try ChangePayload(decoding: bytes, author: author).blocks[0]
        else {
            Issue.record("an insert is read as something else")
            return
        }
        #expect(read.records == [RecordID(replica: author, number: 5)])
    }

    @Test(arguments: [
        (WireType.integer16, Int64(Int16.min), true), (.integer16, Int64(Int16.max) + 1, false),
        (.integer32, Int64(Int32.max), true), (.integer32, Int64(Int32.min) - 1, false),
        (.integer64, Int64.min, true),
    ])
    func `an integer is refused where its property is too narrow`(
        type: WireType, integer: Int64, isAccepted: Bool
    ) {
        let error = failure(storing: .integer(integer), in: WireProperty(name: "p", type: type))
        #expect(error?.code == (isAccepted ? nil : .malformed))
    }

    @Test func `a value of another type than its property's is refused`() {
        for type in 1...14 as ClosedRange<UInt8> {
            let property = WireProperty(name: "p", type: WireType(rawValue: type))
            let value: Value = type == WireType.string.rawValue ? .bool(true) : .string("x")
            #expect(failure(storing: value, in: property)?.code == .malformed)
        }
        let later = WireProperty(name: "p", type: WireType(rawValue: 50))
        #expect(failure(storing: .string("x"), in: later) == nil)
    }

    @Test func `a property that stands twice in a block is refused`() {
        let property = WireProperty(name: "p", type: .bool)
        let rows = RowBlock(
            entity: "E", records: [RecordID(replica: author, number: 1)],
            properties: [property, property], columns: [[.null], [.null]])
        #expect(failure(of: .update(rows))?.code == .malformed)
    }

    @Test(arguments: [0, Limits.greatestRecordNumber + 1, UInt64.max])
    func `a record number beyond the limits is refused`(number: UInt64) {
        let records = [1, number].map { RecordID(replica: other, number: $0) }
        let block = ChangeBlock.delete(RecordBlock(entity: "E", records: records))
        #expect(failure(of: block)?.code == .limitExceeded)
    }

    @Test func `a later version says that the program is too old`() {
        let error = #expect(throws: ChangeSetDecodingError.self) {
            try ChangePayload(decoding: [2, 0, 0, 0], author: author)
        }
        #expect(error?.code == .unsupportedVersion)
    }

    private func failure(
        storing value: Value, in property: WireProperty
    ) -> ChangeSetDecodingError? {
        failure(
            of: .update(
                RowBlock(
                    entity: "E", records: [RecordID(replica: other, number: 1)],
                    properties: [property], columns: [[value]])))
    }

    private func failure(of block: ChangeBlock) -> ChangeSetDecodingError? {
        let bytes = ChangePayload(blocks: [block]).encoded(author: author)
        do throws(ChangeSetDecodingError) {
            _ = try ChangePayload(decoding: bytes, author: author)
            return nil
        } catch {
            return error
        }
    }
}
