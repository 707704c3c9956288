import AnabranchReplication
import TestSupport
import Testing

@Suite struct SiblingsTests {
    private typealias Write = (content: String, stamp: Stamp, seen: [Stamp])

    @Test func `concurrent values stay until a write has seen them`() {
        var siblings = Siblings<String>([])
        siblings.write("a", stamp: stamp(1), seeing: [])
        siblings.write("b", stamp: stamp(3), seeing: [stamp(1)])
        siblings.write("c", stamp: stamp(2), seeing: [stamp(1)])
        #expect(siblings.all.map(\.content) == ["c", "b"])
        #expect(siblings.all.last?.content == "b")
        #expect(siblings.all.count > 1)
        let gone = siblings.write("d", stamp: stamp(4), seeing: siblings.all.map(\.stamp))
        #expect(gone.map(\.content) == ["c", "b"])
        #expect(siblings.all.map(\.content) == ["d"])
        #expect(siblings.all.count == 1)
    }

    /// A write comes after those that it saw, otherwise in any order.
    @Test(arguments: TestLength.seeds(120))
    func `every causal order of writes leaves the same values`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let writes = (1...5 as ClosedRange<UInt64>).map { number in
            let seen = (0..<number).filter { _ in generator.oneIn(2) }.map(stamp)
            return (content: "\(number)", stamp: stamp(number), seen: seen)
        }
        let all = Set(writes.flatMap(\.seen))
        let expected = writes.filter { !all.contains($0.stamp) }
        for order in writes.permutations where isCausal(order) {
            var siblings = Siblings<String>([])
            for write in order {
                siblings.write(write.content, stamp: write.stamp, seeing: write.seen)
            }
            #expect(siblings.all.map(\.content) == expected.map(\.content))
            #expect(siblings.all.map(\.stamp) == expected.map(\.stamp))
        }
    }

    private func isCausal(_ order: [Write]) -> Bool {
        var later = Set(order.map(\.stamp))
        return order.allSatisfy { write in
            later.remove(write.stamp)
            return write.seen.allSatisfy { !later.contains($0) }
        }
    }

    @Test func `the first of two values of one save stays unless the second saw it`() {
        var siblings = Siblings([.init(stamp: stamp(1), content: "insert")])
        siblings.write("again", stamp: stamp(1), seeing: [])
        #expect(siblings.all.map(\.content) == ["insert"])
        siblings.write("seen", stamp: stamp(1), seeing: [stamp(1)])
        #expect(siblings.all.map(\.content) == ["seen"])
    }

    @Test func `siblings are ordered by their stamps, each once`() {
        let siblings = Siblings(
            [3, 1, 2, 1].map { Siblings.Sibling(stamp: stamp($0), content: "\($0)") })
        #expect(siblings.all.map(\.content) == ["1", "2", "3"])
        #expect(siblings == Siblings(siblings.all.reversed()))
    }

    /// A quadratic algorithm would take hours.
    @Test func `long lists of values seen go in one pass`() {
        let stamps = (0..<50_000 as Range<UInt64>).map(stamp)
        var siblings = Siblings(stamps.map { Siblings.Sibling(stamp: $0, content: 0) })
        siblings.write(1, stamp: stamp(60_000), seeing: stamps.reversed())
        #expect(siblings.all.map(\.stamp) == [stamp(60_000)])
    }

    private func stamp(_ number: UInt64) -> Stamp {
        Stamp(timestamp: HybridTimestamp(rawValue: number), replica: ReplicaID(high: 0, low: 1))
    }
}
