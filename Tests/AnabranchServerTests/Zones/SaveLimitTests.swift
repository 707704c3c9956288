import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

/// A table of every limit of a save and of every form in which a save is pushed.
///
/// Each cell is tested on both sides of the limit: a save that just keeps it is accepted, and one
/// that exceeds it is not.
@Suite struct SaveLimitTests {
    enum Form: CaseIterable {
        /// One change set.
        case whole
        /// A change set that lists two parts, which are staged before.
        case inParts
        /// One change set, with another one before it in the same request.
        case behindAnother
    }

    enum Limit: CaseIterable {
        case saveBytes, partBytes, recordBytes, clock
        /// The number of values of a record, and of those that deletes of it have seen.
        case values, seenStamps
        case quotaOfBytes, quotaOfRecords, quotaOfReplicas, quotaOfDailyBytes

        var quantity: ZoneQuotas.Quantity? {
            switch self {
            case .quotaOfBytes: .bytes
            case .quotaOfRecords: .records
            case .quotaOfReplicas: .replicas
            case .quotaOfDailyBytes: .dailyBytes
            case .saveBytes, .partBytes, .recordBytes, .clock, .values, .seenStamps: nil
            }
        }
    }

    /// A save in one of the forms, and what has to be pushed and staged with it.
    private struct Pushed {
        var parts: [[UInt8]] = []
        var sets: [ChangeSet] = []

        var saveBytes: Int { (sets.last?.encoded().count ?? 0) + parts.reduce(0) { $0 + $1.count } }

        init(_ form: Form, aheadMilliseconds: Int64 = 0) {
            self.init(form, aheadMilliseconds: aheadMilliseconds) { author in
                (0..<2).map { _ in
                    ChangeBlock.person(
                        author.newRecord(), name: String(repeating: "x", count: 10_000))
                }
            }
        }

        init(
            _ form: Form, aheadMilliseconds: Int64 = 0,
            _ makeBlocks: (inout TestAuthor) -> [ChangeBlock]
        ) {
            var author = TestAuthor(1)
            author.wallMilliseconds += aheadMilliseconds
            let blocks = makeBlocks(&author)
            switch form {
            case .whole: sets = [author.save(blocks)]
            case .inParts:
                parts = blocks.map {
                    ChangePayload(blocks: [$0]).encoded(author: author.replica)
                }
                let list = PartList(parts.map { SavePart(of: $0) })
                sets = [author.save(payload: list.encoded(), as: .saveInParts)]
            case .behindAnother:
                var other = TestAuthor(2)
                sets = [other.insertPerson().0, author.save(blocks)]
            }
        }

        /// Pushes everything into a new zone.
        ///
        /// - Returns: `nil` if the save was accepted, or the code of its rejection or refusal.
        func outcome(_ zone: TestZone) throws -> String? {
            do {
                for part in parts {
                    _ = try zone.service.stage(
                        StageRequest(part: SavePart(of: part), start: 0, bytes: part))
                }
                let answer = try zone.push(sets)
                guard answer.acknowledgements.count == sets.count else {
                    return answer.refusal?.code.rawValue
                }
                return answer.acknowledgements.last?.rejection?.code.rawValue
            } catch let error as ProtocolError {
                return error.code.rawValue
            }
        }
    }

    /// Pushes a save that just keeps a limit, or just exceeds it.
    ///
    /// - Returns: `nil` if it was accepted, or the code of its rejection or refusal.
    private func outcome(
        _ limit: Limit, _ form: Form, isBeyond: Bool, _ kind: StorageKind
    ) throws -> String? {
        let pushed = Pushed(form)
        var limits = ZoneLimits()
        switch limit {
        case .saveBytes: limits.saveBytes = pushed.saveBytes - (isBeyond ? 1 : 0)
        case .partBytes: limits.partBytes = (pushed.parts.first?.count ?? 0) - (isBeyond ? 1 : 0)
        case .recordBytes: limits.recordBytes = isBeyond ? 10_000 : 20_000
        case .clock:
            let lead = limits.clockMilliseconds + (isBeyond ? 5000 : 0)
            return try Pushed(form, aheadMilliseconds: lead).outcome(try TestZone(kind))
        case .values, .seenStamps:
            return try Self.counted(limit, form, isBeyond: isBeyond).outcome(try TestZone(kind))
        case .quotaOfBytes, .quotaOfRecords, .quotaOfReplicas, .quotaOfDailyBytes: break
        }
        if let quantity = limit.quantity {
            let unlimited = try TestZone(kind)
            #expect(try pushed.outcome(unlimited) == nil)
            let amount = try #require(try unlimited.service.amounts()[quantity])
            limits.quotas[quantity] = .most(amount - (isBeyond ? 1 : 0))
        }
        return try pushed.outcome(try TestZone(kind, limits: limits))
    }

    /// A save of two blocks that change one record, with half of what is counted in each.
    private static func counted(_ limit: Limit, _ form: Form, isBeyond: Bool) -> Pushed {
        let greatest =
            limit == .values ? StateMerger.greatestValueCount : StateMerger.greatestSeenCount
        let all = 0..<greatest + (isBeyond ? 1 : 0)
        let halves = [all.prefix(greatest / 2), all.dropFirst(greatest / 2)]
        return Pushed(form) { author in
            let record = author.newRecord()
            guard limit == .values else {
                return [.person(record, name: "Ada")]
                    + halves.map { .yieldingDelete(delete(record, seeing: $0)) }
            }
            let rows = halves.map { RowBlock(entity: "Person", record, values: $0) }
            return [.insert(rows[0]), .update(rows[1])]
        }
    }

    private static func delete(
        _ record: RecordID, seeing numbers: Range<Int>
    ) -> YieldingDeleteBlock {
        let stamps = numbers.map {
            Stamp(
                timestamp: HybridTimestamp(rawValue: UInt64($0 + 1)), replica: record.replica)
        }
        return YieldingDeleteBlock(
            entity: "Person", deletes: [.init(record: record, stampsSeen: stamps)])
    }

    private func expected(_ limit: Limit, _ form: Form) -> String? {
        switch limit {
        case .saveBytes, .recordBytes, .values, .seenStamps: "too-large"
        // A part is refused when it is staged. A save that has no parts keeps the limit.
        case .partBytes: form == .inParts ? "body-too-large" : nil
        case .clock: "clock-skew"
        case .quotaOfBytes, .quotaOfRecords, .quotaOfReplicas, .quotaOfDailyBytes:
            "quota-exceeded"
        }
    }

    @Test(arguments: Limit.allCases, Form.allCases)
    func `a limit holds for every form of a save`(limit: Limit, form: Form) throws {
        for kind in StorageKind.allCases {
            #expect(try outcome(limit, form, isBeyond: false, kind) == nil)
            #expect(try outcome(limit, form, isBeyond: true, kind) == expected(limit, form))
        }
    }

    @Test func `a save in parts that is too large is rejected before a part is staged`() throws {
        var limits = ZoneLimits()
        let pushed = Pushed(.inParts)
        limits.saveBytes = pushed.saveBytes - 1
        let zone = try TestZone(.sqlite, limits: limits)
        let answer = try zone.push(pushed.sets)
        #expect(answer.acknowledgements.map(\.rejection?.code) == [.tooLarge])
    }
}

extension RowBlock {
    /// One record with a value for each number.
    fileprivate init(entity: WireName, _ record: RecordID, values: Range<Int>) {
        self.init(
            entity: entity, records: [record],
            properties: values.map { WireProperty(name: WireName("p\($0)"), type: .integer64) },
            columns: values.map { _ in [.integer(1)] })
    }
}
