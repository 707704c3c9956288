import AnabranchReplication
import TestSupport
import Testing

@Suite struct RegisterTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every order of four writes leaves the greatest stamp`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let replicas = (0..<4).map { _ in generator.replica() }
        // Few timestamps, so that the replica often decides.
        let writes = replicas.map { replica in
            Stamp(
                timestamp: HybridTimestamp(rawValue: UInt64.random(in: 0...1, using: &generator)),
                replica: replica)
        }
        for order in writes.permutations {
            #expect(written(order) == writes.max())
            #expect(written(order + order) == writes.max())
        }
    }

    @Test func `a repeated write is told from one that lost`() {
        let low = Stamp(timestamp: .zero, replica: ReplicaID(high: 0, low: 1))
        let high = Stamp(timestamp: .zero, replica: ReplicaID(high: 0, low: 2))
        #expect(Register.outcome(ofWriting: low, over: nil) == .takes)
        #expect(Register.outcome(ofWriting: high, over: low) == .takes)
        #expect(Register.outcome(ofWriting: low, over: high) == .keeps)
        #expect(Register.outcome(ofWriting: low, over: low) == .repeats)
    }

    private func written(_ writes: [Stamp]) -> Stamp? {
        writes.reduce(nil) { held, write in
            switch Register.outcome(ofWriting: write, over: held) {
            case .takes: write
            case .keeps, .repeats: held
            }
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
