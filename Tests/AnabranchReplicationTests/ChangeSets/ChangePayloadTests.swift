import AnabranchReplication
import TestSupport
import Testing

@Suite struct ChangePayloadTests {
    let author = ReplicaID(high: 1, low: 1)
    let other = ReplicaID(high: 2, low: 2)

    @Test(arguments: TestLength.seeds(1200))
    func `a payload is the same after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let author = generator.replica()
        let payload = generator.payload(author: author)
        let bytes = payload.encoded(author: author)
        let decoded = try ChangePayload(decoding: bytes, author: author)
        #expect(decoded == payload)
        #expect(decoded.encoded(author: author) == bytes)
    }

    @Test(arguments: [1, 8, 9, 40])
    func `blocks share one table of their properties, few or many`(count: Int) throws {
        let properties = (0..<count).map {
            WireProperty(name: WireName("property \($0)"), type: .integer64)
        }
        func rows(_ replica: ReplicaID) -> RowBlock {
            RowBlock(
                entity: "E", records: [RecordID(replica: replica, number: 1)],
                properties: properties, columns: properties.map { _ in [.integer(1)] })
        }
        let one = ChangePayload(blocks: [.insert(rows(author))]).encoded(author: author)
        let payload = ChangePayload(blocks: [.insert(rows(author)), .update(rows(other))])
        let bytes = payload.encoded(author: author)
        #expect(try ChangePayload(decoding: bytes, author: author) == payload)
        let tables = try #require(ChangePayload.byteCountOfTables(in: one))
        #expect(ChangePayload.byteCountOfTables(in: bytes) == tables + ReplicaID.byteCount)
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
        var rows = RowBlockEncoder(inserting: true, entity: "E", properties: properties)
        for (index, record) in records.enumerated() {
            rows.append(record: record)
            rows.append(.integer(Int64(index)), toColumn: 0)
            rows.append(.null, toColumn: 1)
        }
        encoder.append(rows)
        let whole = RowBlock(
            entity: "E", records: records, properties: properties,
            columns: [ValueColumn((0..<3).map { .integer($0) }), [.null, .null, .null]])
        #expect(encoder.isWithinLimits)
        #expect(encoder.finish() == ChangePayload(blocks: [.insert(whole)]).encoded(author: author))
    }

    @Test(arguments: TestLength.seeds(300))
    func `a block of one row has the bytes that its columns would have`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let author = generator.replica()
        for block in generator.payload(author: author).blocks {
            guard case .update(let rows) = block else { continue }
            for count in 1...min(rows.records.count, 2) {
                func bytes(capacity: Int) -> [UInt8] {
                    var encoder = ChangePayloadEncoder(author: author)
                    var block = RowBlockEncoder(
                        inserting: false, entity: rows.entity, properties: rows.properties,
                        capacity: capacity)
                    for (index, record) in rows.records.prefix(count).enumerated() {
                        block.append(record: record)
                        for column in rows.columns.indices.reversed() {
                            block.append(rows.columns[column][index], toColumn: column)
                        }
                    }
                    #expect(block.misfit == nil)
                    encoder.append(block)
                    return encoder.finish()
                }
                #expect(bytes(capacity: 1) == bytes(capacity: 0))
            }
        }
    }

    @Test func `a block of one row may have values that are not copied, or no properties`() throws {
        let texts = [1 << 20, 3, 1 << 21].map { String(repeating: "a", count: $0) }
        let properties = ["a", "b", "c"].map { WireProperty(name: WireName($0), type: .string) }
        let record = RecordID(replica: author, number: 7)
        for count in [3, 0] {
            func bytes(capacity: Int) -> [UInt8] {
                var encoder = ChangePayloadEncoder(author: author)
                var block = RowBlockEncoder(
                    inserting: true, entity: "E", properties: Array(properties.prefix(count)),
                    capacity: capacity)
                block.append(record: record)
                for column in 0..<count { block.append(.string(texts[column]), toColumn: column) }
                encoder.append(block)
                return encoder.finish()
            }
            #expect(bytes(capacity: 1) == bytes(capacity: 0))
            let block = RowBlock(
                entity: "E", records: [record], properties: Array(properties.prefix(count)),
                columns: texts.prefix(count).map { [.string($0)] })
            #expect(
                try ChangePayload(decoding: bytes(capacity: 1), author: author).blocks
                    == [.insert(block)])
        }
    }

    @Test func `a column of nulls costs its runs only`() {
        let records = (1...1_000).map { RecordID(replica: author, number: $0) }
        func size(_ properties: [WireProperty]) -> Int {
            let rows = RowBlock(
                entity: "E", records: records, properties: properties,
                columns: properties.map { _ in
                    ValueColumn(repeatElement(.null, count: records.count))
                })
            return ChangePayload(blocks: [.insert(rows)]).encoded(author: author).count
        }
        let property = WireProperty(name: "p", type: .string)
        // The bytes are: name and table entry 4, index 1, length 1, run count 1, tag 1, count 2,
        // values 0.
        #expect(size([property]) - size([]) <= 12)
    }

    @Test func `operations and values of later formats are kept as they came`() throws {
        let property = WireProperty(name: "p", type: .string)
        let rows = RowBlock(
            entity: "E", records: [RecordID(replica: author, number: 1)], properties: [property],
            columns: [[.unknown(tag: 77, bytes: [1, 2, 3])]])
        let payload = ChangePayload(blocks: [
            .unknown(operation: 10, bytes: [0xFF, 0, 0xFF]), .update(rows),
            .unknown(operation: .max, bytes: []),
        ])
        let bytes = payload.encoded(author: author)
        #expect(try ChangePayload(decoding: bytes, author: author) == payload)
        #expect(payload.blocks.contains { $0.unknownRule != nil })
    }

    @Test func `registers and links are merged under their own rules only`() {
        func canMerge(_ type: WireType, _ rule: MergeRule) -> Bool {
            let property = WireProperty(name: "p", type: type, rule: rule)
            let block: ChangeBlock =
                type == .links
                ? .link(LinkBlock(entity: "E", property: property, links: []))
                : .update(
                    RowBlock(entity: "E", records: [], properties: [property], columns: [[]]))
            return block.unknownRule == nil
        }
        #expect(canMerge(.string, .lastWriter))
        #expect(canMerge(WireType(rawValue: 99), .lastWriter))
        #expect(canMerge(.links, .set))
        #expect(!canMerge(.string, .set))
        #expect(!canMerge(.links, .lastWriter))
        #expect(!canMerge(.string, .counter))
        #expect(canMerge(.links, .list))
        #expect(!canMerge(.string, .list))
    }

    @Test func `exactly these pairs of rule and type can be merged`() {
        let ordered: [WireType] = [
            .bool, .integer16, .integer32, .integer64, .float, .double, .decimal, .string, .date,
        ]
        let all = (0...255 as ClosedRange<UInt8>).map { WireType(rawValue: $0) }
        let registers = all.filter { !$0.isLinks && $0 != .group }
        let merged: [MergeRule: [WireType]] = [
            .lastWriter: registers, .firstWriter: registers, .keepBoth: registers, .max: ordered,
            .min: ordered, .counter: [.integer64, .decimal], .set: [.links, .mutualLinks],
            .list: [.links, .mutualLinks],
            .group: [.group],
        ]
        for rule in (0...255 as ClosedRange<UInt8>).map({ MergeRule(rawValue: $0) }) {
            for type in all {
                let property = WireProperty(name: "p", type: type, rule: rule)
                #expect(property.isMergeable == (merged[rule] ?? []).contains(type), "\(property)")
            }
        }
    }

    /// No reader accepts an updated counter or an addition to a register.
    @Test(arguments: [
        (WireType.integer64, MergeRule.counter, "add"), (.string, .keepBoth, "write"),
        (.string, .lastWriter, "update"), (.integer64, .max, "update"),
        (.string, .firstWriter, "update"), (.group, .group, "update"),
    ])
    func `each rule is written by its own operation`(
        type: WireType, rule: MergeRule, own: String
    ) {
        let property = WireProperty(name: "p", type: type, rule: rule)
        let record = RecordID(replica: author, number: 1)
        let value: PropertyValue =
            type == .integer64 ? .integer(1) : type == .group ? .group(.empty) : "x"
        let rows = RowBlock(
            entity: "E", records: [record], properties: [property], columns: [[value]])
        let write = SiblingBlock(
            entity: "E", property: property,
            writes: [.init(record: record, value: value, observedTags: [])])
        let blocks: [String: ChangeBlock] = [
            "update": .update(rows), "add": .add(rows), "write": .write(write),
        ]
        #expect(failure(of: .insert(rows)) == nil)
        for (name, block) in blocks {
            #expect(failure(of: block)?.code == (name == own ? nil : .malformed), "\(name)")
        }
    }

    /// Every replica must understand the values that are compared or added.
    @Test func `values that a rule can't merge are refused`() throws {
        let later = PropertyValue.unknown(tag: 99, bytes: [])
        let number = { (text: String) in
            ExactDecimal(text).map { PropertyValue.decimal($0) } ?? .null
        }
        let cases: [(WireType, MergeRule, PropertyValue, Bool)] = [
            (.integer64, .max, later, false), (.string, .min, later, false),
            (.integer64, .counter, later, false), (.decimal, .counter, later, false),
            (.decimal, .counter, number("0.000000000000000001"), true),
            (.decimal, .counter, number("1e-19"), false),
            (.decimal, .counter, number("-5e19"), true),
            (.decimal, .counter, number("5e19"), false),
            (.decimal, .max, number("1e-19"), true), (.string, .firstWriter, later, true),
            (.string, .keepBoth, later, true),
        ]
        for (type, rule, value, isTaken) in cases {
            let property = WireProperty(name: "p", type: type, rule: rule)
            let rows = RowBlock(
                entity: "E", records: [RecordID(replica: author, number: 1)],
                properties: [property], columns: [[value]])
            #expect(
                failure(of: .insert(rows))?.code == (isTaken ? nil : .malformed),
                "\(property) \(value)")
        }
        let counter = WireProperty(name: "p", type: .integer64, rule: .counter)
        let null = RowBlock(
            entity: "E", records: [RecordID(replica: author, number: 1)], properties: [counter],
            columns: [[.null]])
        #expect(failure(of: .insert(null)) == nil)
        #expect(failure(of: .add(null))?.code == .malformed)
    }

    /// A later version may give a meaning to rules and types that this version does not know.
    @Test func `operations on what is not known here are kept`() throws {
        let property = WireProperty(name: "p", type: .integer16, rule: .counter)
        let record = RecordID(replica: other, number: 1)
        let rows = RowBlock(
            entity: "E", records: [record], properties: [property], columns: [[.integer(1)]])
        let text = WireProperty(name: "t", type: .string, rule: .text)
        let write = SiblingBlock(
            entity: "E", property: text,
            writes: [.init(record: record, value: "", observedTags: [])])
        let payload = ChangePayload(blocks: [.add(rows), .update(rows), .write(write)])
        let bytes = payload.encoded(author: author)
        #expect(try ChangePayload(decoding: bytes, author: author) == payload)
        #expect(payload.blocks.allSatisfy { $0.unknownRule != nil })
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
            let value: PropertyValue = type == WireType.string.rawValue ? .bool(true) : .string("x")
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
        storing value: PropertyValue, in property: WireProperty
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
