import AnabranchReplication
import TestSupport
import Testing

@Suite struct RegisterTests {
    @Test(arguments: TestLength.seeds(80))
    func `every order of four writes leaves the greatest stamp`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let writes = stamps(&generator)
        for order in writes.permutations {
            #expect(written(order) == writes.max())
            #expect(written(order + order) == writes.max())
        }
    }

    @Test func `a repeated write is distinguished from one that lost`() {
        let low = Stamp(timestamp: .zero, replica: ReplicaID(high: 0, low: 1))
        let high = Stamp(timestamp: .zero, replica: ReplicaID(high: 0, low: 2))
        #expect(Register.outcome(ofWriting: low, over: nil) == .replaces)
        #expect(Register.outcome(ofWriting: high, over: low) == .replaces)
        #expect(Register.outcome(ofWriting: low, over: high) == .loses)
        #expect(Register.outcome(ofWriting: low, over: low) == .isDuplicate)
        for rule in [MergeRule.firstWriter, .max, .min, .group] {
            let same = Register.outcome(ofWriting: low, over: low, by: rule) { (.null, .null) }
            #expect(same == .isDuplicate)
        }
    }

    @Test(arguments: TestLength.seeds(80))
    func `rules of stamps never look at a value`(seed: UInt64) {
        struct Unreadable: Error {}
        var generator = SeededGenerator(seed: seed)
        let writes = stamps(&generator)
        let expected = [
            (MergeRule.lastWriter, writes.max()), (.group, writes.max()),
            (.firstWriter, writes.min()),
        ]
        for (rule, stamp) in expected {
            for order in writes.permutations {
                let held = order.reduce(Stamp?.none) { held, write in
                    let outcome = try? Register.outcome(ofWriting: write, over: held, by: rule) {
                        throw Unreadable()
                    }
                    return outcome == .replaces ? write : held
                }
                #expect(held == stamp)
            }
        }
    }

    @Test(
        arguments: [MergeRule.max, .min],
        [WireType.bool, .integer16, .integer64, .double, .decimal, .string, .date])
    func `every order of writes leaves the value that goes furthest`(
        rule: MergeRule, type: WireType
    ) {
        let property = WireProperty(name: "p", type: type, rule: rule)
        for seed in 0..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let writes = stamps(&generator).map { stamp in
                (stamp: stamp, value: generator.value(of: property, replicas: []))
            }
            let ends = writes.permutations.map { written($0 + $0, rule) }
            for end in ends {
                #expect(end?.stamp == ends[0]?.stamp)
                #expect(end?.value == ends[0]?.value)
            }
            let oracle = ReferenceMerge.furthest(writes, rule)
            #expect(ends[0]?.stamp == oracle?.stamp)
        }
    }

    /// The values are arbitrary, also those that no reader accepts.
    @Test(arguments: [MergeRule.max, .min], TestLength.seeds(160))
    func `standing is a total order of classes over all values`(rule: MergeRule, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let replicas = [generator.replica()]
        let values = (0..<12).map { _ in
            let type = WireType(rawValue: UInt8.random(in: 1...15, using: &generator))
            return generator.value(of: type, replicas: replicas)
        }
        func standing(_ left: PropertyValue, _ right: PropertyValue) -> Extremum.Comparison {
            Extremum.comparison(of: left, against: right, by: rule)
        }
        for a in values {
            #expect(standing(a, a) == .level)
            for b in values {
                let reversed: [Extremum.Comparison: Extremum.Comparison] = [
                    .ahead: .behind, .behind: .ahead, .level: .level,
                ]
                #expect(reversed[standing(a, b)] == standing(b, a))
                for c in values where standing(a, b) != .behind && standing(b, c) != .behind {
                    #expect(standing(a, c) != .behind)
                    if standing(a, b) == .ahead { #expect(standing(a, c) == .ahead) }
                }
            }
        }
    }

    @Test func `values stand as the rules say`() {
        let number = { (text: String) in
            ExactDecimal(text).map { PropertyValue.decimal($0) } ?? .null
        }
        // The values of each row ascend under `max`.
        let ascending: [[PropertyValue]] = [
            [.null, .bool(false), .bool(true)], [.null, .integer(.min), .integer(-1), .integer(7)],
            [.null, .unknown(tag: 99, bytes: [9]), .double(.nan), .double(-.infinity), .double(0)],
            [.date(.nan), .date(-1), .date(0.5)],
            [number("-1e20"), number("-0.1"), number("0"), number("1e-128"), number("3")],
            [.string(""), .string("Z"), .string("a"), .string("e\u{301}"), .string("\u{E9}")],
        ]
        for values in ascending {
            for (left, right) in zip(values, values.dropFirst()) {
                #expect(Extremum.comparison(of: right, against: left, by: .max) == .ahead)
                let isNumber = Extremum.comparison(of: .null, against: left, by: .min) == .behind
                let isOrdered = isNumber && left != .double(.nan) && left != .date(.nan)
                guard isOrdered, left.tag != 99 else { continue }
                #expect(Extremum.comparison(of: right, against: left, by: .min) == .behind)
            }
        }
        let level: [(PropertyValue, PropertyValue)] = [
            (.double(0), .double(-0.0)), (.double(.nan), .double(-.nan)), (.null, .null),
            (.unknown(tag: 99, bytes: [1]), .unknown(tag: 200, bytes: [])),
            (number("1.50"), number("15e-1")),
        ]
        for rule in [MergeRule.max, .min] {
            for (left, right) in level {
                #expect(Extremum.comparison(of: left, against: right, by: rule) == .level)
            }
            #expect(
                Extremum.comparison(of: .double(.nan), against: .double(1), by: rule) == .behind)
            #expect(Extremum.comparison(of: .null, against: .double(.nan), by: rule) == .behind)
        }
    }

    /// Returns stamps with few timestamps, so that the replica often decides.
    private func stamps(_ generator: inout SeededGenerator) -> [Stamp] {
        let replicas = (0..<4).map { _ in generator.replica() }
        return replicas.map { replica in
            Stamp(
                timestamp: HybridTimestamp(rawValue: UInt64.random(in: 0...1, using: &generator)),
                replica: replica)
        }
    }

    private func written(_ writes: [Stamp]) -> Stamp? {
        writes.reduce(nil) { held, write in
            switch Register.outcome(ofWriting: write, over: held) {
            case .replaces: write
            case .loses, .isDuplicate: held
            }
        }
    }

    private func written(
        _ writes: [(stamp: Stamp, value: PropertyValue)], _ rule: MergeRule
    ) -> (stamp: Stamp, value: PropertyValue)? {
        writes.reduce(nil) { held, write in
            let outcome = Register.outcome(ofWriting: write.stamp, over: held?.stamp, by: rule) {
                (write.value, held?.value ?? .null)
            }
            return outcome == .replaces ? write : held
        }
    }
}

extension ReferenceMerge {
    /// Returns the write that wins according to the oracle.
    fileprivate static func furthest(
        _ writes: [(stamp: Stamp, value: PropertyValue)], _ rule: MergeRule
    ) -> (stamp: Stamp, value: PropertyValue)? {
        let merge = ReferenceMerge()
        return writes.dropFirst().reduce(writes.first) { held, write in
            guard let held else { return write }
            let isBetter = merge.isBetter(
                (write.value, write.stamp), than: (held.stamp, held.value), rule)
            return isBetter ? write : held
        }
    }
}

extension Array {
    /// All orders of the elements.
    var permutations: [[Element]] {
        guard count > 1 else { return [self] }
        return indices.flatMap { index in
            var rest = self
            let first = rest.remove(at: index)
            return rest.permutations.map { [first] + $0 }
        }
    }
}
