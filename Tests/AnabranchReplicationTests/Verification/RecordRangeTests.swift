import AnabranchReplication
import TestSupport
import Testing

@Suite struct RecordRangeTests {
    private static func id(_ replica: UInt64, _ number: UInt64) -> RecordID {
        RecordID(replica: ReplicaID(high: replica, low: 0), number: number)
    }

    @Test func `numbers of a replica are those that the range contains`() {
        let bounds: [RecordID?] = [nil, Self.id(1, 1), Self.id(1, 5), Self.id(2, 3)]
        for lower in bounds {
            for upper in bounds {
                let range = RecordRange(lower: lower, upper: upper)
                for replica in 0...3 as ClosedRange<UInt64> {
                    let numbers = range.numbers(of: ReplicaID(high: replica, low: 0))
                    for number in 1...7 as ClosedRange<UInt64> {
                        let isIn = range.contains(Self.id(replica, number))
                        #expect(isIn == (numbers?.contains(number) ?? false))
                        #expect(!isIn || !range.isEmpty)
                    }
                }
            }
        }
    }

    /// Cuts ranges of a made-up state as a zone does, and descends into every part.
    private static func descend(
        _ range: RecordRange, _ records: [CanonicalRecord], _ limits: RangeSummarizer.Limits,
        _ answers: inout Int
    ) throws -> [RangeSummary.Entry] {
        answers += 1
        let inside = records.filter { range.contains($0.id) }
        var cutter = RangeSummarizer(
            range, count: min(inside.count, limits.steps), steps: limits.steps, limits: limits)
        var isWhole = true
        for record in inside where isWhole { isWhole = cutter.take(record) }
        let (summary, _) = cutter.finish(isWhole: isWhole)
        #expect(summary.fits(range))
        guard case .parts(let parts) = summary else {
            guard case .records(let entries) = summary else { return [] }
            #expect(entries.map(\.record) == inside.map(\.id))
            return entries
        }
        #expect(parts.count <= limits.parts + 1)
        let (ranges, rest) = RangeSummary.ranges(of: parts, in: range)
        var found: [RangeSummary.Entry] = []
        for (part, told) in zip(ranges, parts) {
            let sum = records.filter { part.contains($0.id) }
                .reduce(StateChecksum.zero) { $0 &+ StateChecksum(of: $1) }
            #expect(sum == told.checksum)
            found += try descend(part, records, limits, &answers)
        }
        if let rest { found += try descend(rest, records, limits, &answers) }
        return found
    }

    @Test(arguments: [0, 1, 3, 4, 5, 40, 200], [4, 16, 1000])
    func `a range is cut into parts that hold all of it`(count: Int, steps: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        var limits = RangeSummarizer.Limits()
        (limits.listed, limits.parts, limits.steps) = (3, 4, steps)
        let records = (0..<count).map { _ in
            Self.id(UInt64.random(in: 1...3, using: &generator), generator.next() >> 30 | 1)
        }
        let state = Set(records).sorted().map { CanonicalRecord(id: $0, entity: "Note") }
        var answers = 0
        let found = try Self.descend(.all, state, limits, &answers)
        #expect(found.map(\.record) == state.map(\.id))
        #expect(answers <= 2 * count + 2)
    }

    @Test func `a summary that does not belong to its range is reported`() {
        let range = RecordRange(lower: Self.id(1, 1), upper: Self.id(1, 9))
        func part(_ upper: RecordID?) -> RangeSummary.Part {
            .init(upper: upper, checksum: .zero)
        }
        #expect(RangeSummary.parts([part(Self.id(1, 4)), part(Self.id(1, 9))]).fits(range))
        #expect(RangeSummary.parts([part(Self.id(1, 4))]).fits(range))
        let refused: [[RangeSummary.Part]] = [
            [], [part(Self.id(1, 9))], [part(Self.id(1, 10))], [part(nil)],
            [part(Self.id(1, 4)), part(Self.id(1, 4))], [part(Self.id(1, 1))],
            [part(Self.id(1, 5)), part(Self.id(1, 4))], [part(Self.id(1, 4)), part(nil)],
        ]
        for parts in refused { #expect(!RangeSummary.parts(parts).fits(range)) }
        func entries(_ numbers: UInt64...) -> RangeSummary {
            .records(numbers.map { .init(record: Self.id(1, $0), checksum: .zero) })
        }
        #expect(entries().fits(range) && entries(1, 8).fits(range))
        #expect(!entries(9).fits(range) && !entries(2, 2).fits(range) && !entries(3, 2).fits(range))
        #expect(!RangeSummary.parts([part(nil)]).fits(.all))
    }

    @Test func `differences are reported with what each side lacks`() {
        func entry(_ number: UInt64, _ value: UInt8) -> RangeSummary.Entry {
            .init(record: Self.id(1, number), checksum: StateChecksum(ofRow: [value]))
        }
        let found = RecordDifference.between(
            [entry(1, 1), entry(2, 2), entry(4, 4), entry(4, 4)],
            [entry(1, 1), entry(2, 3), entry(3, 3), entry(4, 4)])
        #expect(
            found == [
                .init(record: Self.id(1, 2), kind: .changed),
                .init(record: Self.id(1, 3), kind: .missing),
                .init(record: Self.id(1, 4), kind: .changed),
            ])
        #expect(
            RecordDifference.between([entry(1, 1)], [])
                == [.init(record: Self.id(1, 1), kind: .extra)])
    }
}
