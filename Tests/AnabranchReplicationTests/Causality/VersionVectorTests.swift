import AnabranchReplication
import TestSupport
import Testing

@Suite struct VersionVectorTests {
    @Test(arguments: TestLength.seeds(800))
    func `union commutes, associates and is idempotent`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (a, b, c) = (vector(&generator), vector(&generator), vector(&generator))
        #expect(a.union(b) == b.union(a))
        #expect(a.union(b).union(c) == a.union(b.union(c)))
        #expect(a.union(a) == a)
        #expect(a.union(VersionVector()) == a)
        #expect(a.union(b).isSuperset(of: a) && a.union(b).isSuperset(of: b))
    }

    /// A union is the least upper bound: it has nothing that both parts lack.
    @Test(arguments: TestLength.seeds(400))
    func `a union holds no more than its parts`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (a, b) = (vector(&generator), vector(&generator))
        for replica in replicas {
            for sequence in 1...5 as ClosedRange<UInt64> {
                let dot = Dot(replica: replica, sequence: sequence)
                #expect(a.union(b).contains(dot) == (a.contains(dot) || b.contains(dot)))
            }
        }
    }

    @Test(arguments: TestLength.seeds(800))
    func `the order is reflexive, antisymmetric and transitive`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (a, b, c) = (vector(&generator), vector(&generator), vector(&generator))
        #expect(a.order(relativeTo: a) == .same)
        #expect((a.order(relativeTo: b) == .same) == (a == b))
        let opposite: [CausalOrder: CausalOrder] = [
            .same: .same, .before: .after, .after: .before, .concurrent: .concurrent,
        ]
        #expect(b.order(relativeTo: a) == opposite[a.order(relativeTo: b)])
        if a.isSuperset(of: b), b.isSuperset(of: c) { #expect(a.isSuperset(of: c)) }
        #expect((a.order(relativeTo: b) == .before) == (b.isSuperset(of: a) && a != b))
    }

    @Test func `histories that each hold what the other lacks are concurrent`() {
        let left = VersionVector([Dot(replica: replicas[0], sequence: 2)])
        let right = VersionVector([
            Dot(replica: replicas[0], sequence: 1), Dot(replica: replicas[1], sequence: 1),
        ])
        #expect(left.order(relativeTo: right) == .concurrent)
        #expect(left.order(relativeTo: VersionVector()) == .after)
        #expect(VersionVector().order(relativeTo: right) == .before)
    }

    @Test func `an insertion never removes held dots`() {
        var vector = VersionVector()
        vector.insert(Dot(replica: replicas[0], sequence: 7))
        vector.insert(Dot(replica: replicas[0], sequence: 3))
        #expect(vector[replicas[0]] == 7)
        #expect(vector.contains(Dot(replica: replicas[0], sequence: 5)))
        #expect(!vector.contains(Dot(replica: replicas[0], sequence: 8)))
    }

    /// An entry of zero would make a vector unequal to one without the replica.
    @Test func `holding nothing of a replica is no entry`() {
        #expect(VersionVector([Dot(replica: replicas[0], sequence: 0)]) == VersionVector())
        #expect(VersionVector([Dot(replica: replicas[0], sequence: 0)]).isEmpty)
    }

    @Test func `heads come in the order of the replicas' bytes`() {
        let heads = replicas.map { Dot(replica: $0, sequence: 1) }
        #expect(VersionVector(heads.reversed()).heads == heads.sorted())
    }

    private let replicas = (1...4 as ClosedRange<UInt64>).map { ReplicaID(high: $0, low: 0) }

    private func vector(_ generator: inout SeededGenerator) -> VersionVector {
        VersionVector(
            replicas.map {
                Dot(replica: $0, sequence: UInt64.random(in: 0...3, using: &generator))
            })
    }
}
