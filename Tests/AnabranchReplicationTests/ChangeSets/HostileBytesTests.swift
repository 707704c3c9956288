import AnabranchReplication
import TestSupport
import Testing

/// Tests that bytes from a network or a file never trap: they give a value or a typed error.
@Suite struct HostileBytesTests {
    let author = ReplicaID(high: 1, low: 1)

    @Test(arguments: TestLength.seeds(80))
    func `every beginning of a change set is refused`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = generator.changeSet().encoded()
        for count in bytes.indices {
            let error = failure(decoding: Array(bytes.prefix(count)))
            #expect(error != nil)
            #expect((error?.offset ?? 0) <= count)
        }
    }

    @Test(arguments: TestLength.seeds(80))
    func `every beginning of a payload is refused or ends between blocks`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let whole = generator.payload(author: author)
        let bytes = whole.encoded(author: author)
        for count in bytes.indices {
            let start = Array(bytes.prefix(count))
            guard let payload = try? ChangePayload(decoding: start, author: author) else {
                continue
            }
            #expect(payload.blocks == Array(whole.blocks.prefix(payload.blocks.count)))
        }
    }

    /// The digest covers the core, and the origin covers both digests. Only the causal context may
    /// change unnoticed, because it is no part of a change set's identity.
    @Test(arguments: TestLength.seeds(24))
    func `every single changed bit of a change set is noticed before its context`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let changeSet = generator.changeSet()
        let bytes = changeSet.encoded()
        var context = ByteWriter()
        context.append(context: changeSet.context)
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << bit
                guard let decoded = try? ChangeSet(decoding: changed) else { continue }
                let isMarkedAsRewritten = decoded.rewrittenFrom != nil
                #expect(place >= bytes.count - context.count || isMarkedAsRewritten)
                #expect(decoded.digest == changeSet.digest)
            }
        }
    }

    @Test(arguments: TestLength.seeds(24))
    func `every single changed byte of a payload gives a payload or an error`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = generator.payload(author: author).encoded(author: author)
        for place in bytes.indices {
            for byte in [0, 1, 0x7F, 0x80, 0xFF, bytes[place] &+ 1, bytes[place] ^ 0x40] as [UInt8]
            {
                var changed = bytes
                changed[place] = byte
                expectDecodable(changed)
            }
        }
    }

    @Test(arguments: TestLength.seeds(1600))
    func `random bytes give a payload or an error`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Small bytes look like counts and indexes, so that decoding reaches deeper levels.
        let noise = generator.bytes(count: Int.random(in: 0...200, using: &generator))
        expectDecodable([1, 0, 1, 1, 0x65, 0] + noise)
        expectDecodable([1, 0, 1, 1, 0x65, 1, 1, 0x70, 4, 1] + noise.map { $0 & 7 })
        #expect(throws: ChangeSetDecodingError.self) { try ChangeSet(decoding: noise) }
    }

    @Test func `claims of huge counts allocate nothing`() {
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        let tables: [UInt8] = [1, 0, 1, 1, 0x65, 1, 1, 0x70, 4, 1]
        let claims: [[UInt8]] = [
            [1] + huge, [1, 0] + huge, [1, 0, 0] + huge,  // tables
            tables + huge + huge,  // operation and length
            tables + [1, 12, 0] + huge,  // inserted records
            tables + [2, 13, 0, 1, 0] + huge,  // a run of records
            tables + [1, 13, 0, 1, 2] + huge,  // columns
            tables + [2, 17, 0, 1, 0, 1, 2, 1, 0, 11, 1, 2] + huge,  // a run of values
            tables + [5, 15, 0, 0, 0, 0, 0] + huge,
            tables + [7, 13, 0, 1, 0] + huge,  // a run of records to add to
            tables + [8, 12, 0, 0] + huge,  // written records
            tables + [9, 14, 0, 1, 0, 1, 2] + huge,  // stamps seen
        ]
        for claim in claims { #expect(payloadFailure(claim) != nil) }
    }

    /// Null takes no bytes, so a short payload may claim many nulls. A thousand such blocks must
    /// not get a thousand allowances.
    @Test(.long) func `blocks of nulls share one allowance`() {
        let records = (1...2_000).map { RecordID(replica: author, number: $0) }
        let properties = (0..<500).map { WireProperty(name: WireName("p\($0)"), type: .string) }
        let rows = RowBlock(
            entity: "E", records: records, properties: properties,
            columns: properties.map { _ in ValueColumn(repeatElement(.null, count: records.count)) }
        )
        let once = ChangePayload(blocks: [.update(rows)]).encoded(author: author)
        let twice = ChangePayload(blocks: [.update(rows), .update(rows)]).encoded(author: author)
        #expect(payloadFailure(once) == nil)
        let block = twice.dropFirst(once.count)
        let bytes = once + [ArraySlice<UInt8>](repeating: block, count: 19).joined()
        #expect(bytes.count < 1 << 20)
        var decoder = try? ChangePayloadDecoder(bytes, author: author)
        var blocks = 0
        let error = #expect(throws: ChangeSetDecodingError.self) {
            while try decoder?.next() != nil { blocks += 1 }
        }
        #expect(error?.code == .limitExceeded)
        #expect(blocks == Limits.maximumCells / (2_000 * 501))
    }

    @Test(.long) func `tables and blocks are counted`() {
        var names = ByteWriter()
        names.append(raw: [1, 0])
        names.append(count: Limits.maximumNames + 1)
        names.append(raw: [UInt8](repeating: 0, count: Limits.maximumNames + 2))
        #expect(payloadFailure(names.bytes)?.code == .limitExceeded)

        let blocks =
            [1, 0, 0, 0] as [UInt8]
            + [[UInt8]](repeating: [99, 0], count: Limits.maximumBlocks + 1).joined()
        #expect(payloadFailure(blocks)?.code == .limitExceeded)
        #expect(payloadFailure(Array(blocks.dropLast(2))) == nil)
    }

    @Test func `an encoder reports a payload that would be refused`() {
        var encoder = ChangePayloadEncoder(author: author)
        for number in 0..<Limits.maximumNames {
            encoder.append(.delete(RecordBlock(entity: WireName("E\(number)"), records: [])))
        }
        #expect(encoder.isWithinLimits)
        #expect(payloadFailure(encoder.finish()) == nil)
        encoder.append(.delete(RecordBlock(entity: "one more", records: [])))
        #expect(!encoder.isWithinLimits)
        #expect(payloadFailure(encoder.finish())?.code == .limitExceeded)
    }

    /// A separate look-up for each of so many columns would take minutes.
    @Test func `many columns are distinguished in one pass`() {
        let properties = (0..<30_000).map { WireProperty(name: WireName("p\($0)"), type: .string) }
        let rows = RowBlock(
            entity: "E", records: [RecordID(replica: author, number: 1)], properties: properties,
            columns: properties.map { _ in [.null] })
        #expect(
            payloadFailure(ChangePayload(blocks: [.update(rows)]).encoded(author: author)) == nil)
    }

    @Test(.longest)
    func `members of groups are counted`() throws {
        let members = (0..<Limits.maximumMembers).map {
            GroupValue.Member(name: WireName("m\($0)"), type: .bool, value: .null)
        }
        let group = try #require(GroupValue(members))
        let more = GroupValue.Member(name: "one more", type: .bool, value: .null)
        #expect(group.replacing([more]) == nil)
        let property = WireProperty(name: "g", type: .group, rule: .group)
        let count = Limits.maximumCells / Limits.maximumMembers
        func blocks(_ count: Int) -> ChangePayloadEncoder {
            var encoder = ChangePayloadEncoder(author: author)
            var rows = RowBlockEncoder(inserting: false, entity: "E", properties: [property])
            for number in 1...UInt64(count) {
                rows.append(record: RecordID(replica: author, number: number))
                rows.append(.group(group), toColumn: 0)
            }
            encoder.append(rows)
            return encoder
        }
        let small = blocks(count / 64)
        #expect(small.isWithinLimits)
        #expect(payloadFailure(small.finish()) == nil)
        let large = blocks(count)
        #expect(!large.isWithinLimits)
        #expect(payloadFailure(large.finish())?.code == .limitExceeded)
    }

    @Test func `groups that are not in their one form are refused`() throws {
        func value(_ body: [UInt8]) -> [UInt8] {
            // The payload is one update of record 1 of the author, with one attribute group.
            let column = [1, ValueTag.group, 1, UInt8(body.count + 1), UInt8(body.count)] + body
            let block = [0, 1, 0, 1, 2, 1, 0, UInt8(column.count)] + column
            return [1, 0, 1, 1, 0x65, 1, 1, 0x67, 15, 10, 2, UInt8(block.count)] + block
        }
        let bool: [UInt8] = [1, 0x61, 1, 1, 1]
        let later: [UInt8] = [1, 0x62, 1, 1, 0]
        let accepted = [[0], [1] + bool, [2] + bool + later]
        for body in accepted { #expect(payloadFailure(value(body)) == nil) }
        let refused: [[UInt8]] = [
            [2] + later + bool, [2] + bool + bool,  // order
            [1] + bool + [0], [2] + bool, [],  // lengths
            [1, 1, 0x61, 1, 2, 0],  // an integer in a bool
            [1, 1, 0x61, 2, 2, 0x80, 0x80, 4],  // too wide
            [1, 1, 0x61, 15, ValueTag.group, 1, 0],  // a group in a group
            [1, 1, 0x61, 40, ValueTag.group, 1, 0], [1, 1, 0x61, 14, 0], [1, 1, 0x61, 16, 0],
            [0x80, 8],  // a claim of many
        ]
        for body in refused { #expect(payloadFailure(value(body)) != nil, "\(body)") }
    }

    private func expectDecodable(_ bytes: [UInt8]) {
        guard let error = payloadFailure(bytes) else { return }
        #expect((0...bytes.count).contains(error.offset))
    }

    private func payloadFailure(_ bytes: [UInt8]) -> ChangeSetDecodingError? {
        do throws(ChangeSetDecodingError) {
            _ = try ChangePayload(decoding: bytes, author: author)
            return nil
        } catch {
            return error
        }
    }

    private func failure(decoding bytes: [UInt8]) -> ChangeSetDecodingError? {
        do throws(ChangeSetDecodingError) {
            _ = try ChangeSet(decoding: bytes)
            return nil
        } catch {
            return error
        }
    }
}
