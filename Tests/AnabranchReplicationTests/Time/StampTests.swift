import AnabranchReplication
import TestSupport
import Testing

@Suite struct StampTests {
    @Test func `time decides before the replica`() {
        let early = Stamp(
            timestamp: HybridTimestamp(wallMilliseconds: 1),
            replica: ReplicaID(high: .max, low: .max))
        let late = Stamp(
            timestamp: HybridTimestamp(wallMilliseconds: 1, counter: 1),
            replica: ReplicaID(high: 0, low: 0))
        #expect(early < late)
        #expect(!(late < early))
    }

    /// Bytes are compared as unsigned numbers, from the first on.
    @Test(arguments: TestLength.seeds(400))
    func `ties are decided by the replicas' bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let left = generator.replica()
        // Most pairs have the same first half, so that the second half decides too.
        let right =
            generator.oneIn(2)
            ? ReplicaID(high: left.high, low: generator.next())
            : generator.replica()
        let timestamp = generator.timestamp()
        let isLess =
            Stamp(timestamp: timestamp, replica: left)
            < Stamp(timestamp: timestamp, replica: right)
        #expect(isLess == left.bytes.lexicographicallyPrecedes(right.bytes))
    }

    @Test(arguments: TestLength.seeds(200))
    func `stamps are in a total order`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let replicas = (0..<2).map { _ in generator.replica() }
        let stamps = (0..<3).map { _ in
            Stamp(
                timestamp: HybridTimestamp(rawValue: UInt64.random(in: 0...2, using: &generator)),
                replica: generator.element(of: replicas))
        }
        for a in stamps {
            for b in stamps {
                #expect([a < b, b < a, a == b].count { $0 } == 1)
                for c in stamps where a < b && b < c { #expect(a < c) }
            }
        }
    }
}
