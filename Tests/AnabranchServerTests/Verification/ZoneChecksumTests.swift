import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the checksum that a zone stores, and of its ranges.
@Suite struct ZoneChecksumTests {
    private static func sum(_ records: some Sequence<CanonicalRecord>) -> StateChecksum {
        records.reduce(.zero) { $0 &+ StateChecksum(of: $1) }
    }

    @Test(arguments: StorageKind.allCases, TestLength.seeds(40))
    func `after every push the sum is that of the reference merge`(
        kind: StorageKind, seed: UInt64
    ) throws {
        let history = try RandomHistory(seed: seed, rules: .all)
        var reference = ReferenceMerge()
        let zone = try TestZone(kind)
        for changeSet in history.changeSets {
            try reference.apply(changeSet)
            #expect(try zone.push(changeSet).refusal == nil)
            let told = try zone.checksums()
            #expect(told.checksum == Self.sum(reference.state.values))
            #expect(told.checksum.recordCount == UInt64(reference.state.count))
        }
        let whole = try zone.checksums()
        #expect(whole.position == UInt64(history.changeSets.count))
        try zone.reopen(copied: true)
        #expect(try zone.checksums().checksum == whole.checksum)
        _ = try zone.service.compact(keeping: 0)
        #expect(try zone.checksums().checksum == Self.sum(zone.records()))
        #expect(try zone.service.verify().isValid)
    }

    @Test(arguments: StorageKind.allCases)
    func `a set that is refused, rejected or pushed again does not change the checksum`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(
            kind,
            validation: PushValidation { set, _ in
                set.dot.sequence == 2 ? SaveRejection(.validationFailed, "No.") : nil
            })
        var author = TestAuthor(1)
        let sets = (0..<3).map { author.insertPerson("person \($0)").0 }
        _ = try zone.push(sets[0])
        let before = try zone.checksums().checksum
        #expect(try zone.push(sets[0], sets[1]).acknowledgements.last?.rejection != nil)
        #expect(try zone.checksums().checksum == before)
        _ = try zone.push(sets[2])
        #expect(try zone.checksums().checksum.recordCount == 2)
        // A change set with a second block that can't be merged leaves nothing of its first block.
        let twice = author.newRecord()
        let broken = author.save([.person(twice, name: "a"), .person(twice, name: "b")])
        #expect(try zone.push(broken).acknowledgements.first?.rejection != nil)
        #expect(try zone.checksums().checksum == Self.sum(zone.records()))
    }

    @Test(arguments: StorageKind.allCases, TestLength.seeds(20))
    func `ranges reach every record within bounded answers`(
        kind: StorageKind, seed: UInt64
    ) throws {
        var limits = ZoneLimits()
        (limits.ranges.listed, limits.ranges.parts, limits.ranges.steps) = (2, 3, 7)
        let zone = try TestZone(kind, limits: limits)
        try zone.push(RandomHistory(seed: seed), seed: seed)
        let state = try zone.records()
        var found: [RangeSummary.Entry] = []
        var open: [RecordRange] = [.all]
        var answers = 0
        while !open.isEmpty {
            answers += 1
            let asked = Array(open.prefix(3))
            let told = try zone.checksums(asked)
            #expect((1...asked.count).contains(told.summaries.count))
            open.removeFirst(told.summaries.count)
            for (range, summary) in zip(asked, told.summaries) {
                #expect(summary.fits(range))
                switch summary {
                case .records(let entries): found += entries
                case .parts(let parts):
                    let (ranges, rest) = RangeSummary.ranges(of: parts, in: range)
                    for (part, cut) in zip(ranges, parts) {
                        #expect(
                            cut.checksum == Self.sum(state.filter { part.contains($0.id) }))
                    }
                    open += ranges + [rest].compactMap { $0 }
                }
            }
        }
        found.sort { $0.record < $1.record }
        #expect(found.map(\.record) == state.map(\.id))
        #expect(found.map(\.checksum) == state.map(StateChecksum.init(of:)))
        #expect(answers <= 4 * state.count + 4)
    }

    @Test func `another epoch and too many ranges are refused`() throws {
        let zone = try TestZone(.sqlite)
        let epoch = #expect(throws: ProtocolError.self) {
            try zone.service.checksums(ChecksumsRequest(epoch: EpochID(high: 3, low: 3)))
        }
        #expect(epoch?.code == .unknownEpoch)
        let ranges = Array(repeating: RecordRange.all, count: SyncProtocol.maximumRanges + 1)
        let count = #expect(throws: ProtocolError.self) { try zone.checksums(ranges) }
        #expect(count?.code == .malformedRequest)
        #expect(count?.details["limit"] == "\(SyncProtocol.maximumRanges)")
    }
}

extension TestZone {
    func checksums(_ ranges: [RecordRange] = []) throws -> ChecksumsResponse {
        try service.checksums(ChecksumsRequest(epoch: service.head().epoch, ranges: ranges))
    }
}
