import AnabranchReplication
import TestSupport
import Testing

@Suite struct ConvergenceTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `every causal order of delivery ends in one canonical hash`(seed: UInt64) throws {
        let history = try RandomHistory(seed: seed)
        let expected = try merged(history.changeSets)
        for order in 1...4 as ClosedRange<UInt64> {
            let delivered = history.causalOrder(seed: seed &* 31 &+ order)
            #expect(try merged(delivered).state == expected.state)
            #expect(try merged(delivered).canonicalHash == expected.canonicalHash)
        }
    }

    @Test(arguments: [Mechanism.linkTags, .recordsNotHeld])
    func `orders diverge as soon as a mechanism is left out`(mechanism: Mechanism) throws {
        let diverging = try (0..<300 as Range<UInt64>).first { seed in
            let history = try RandomHistory(seed: seed)
            let hashes = try (1...4 as ClosedRange<UInt64>).map { order in
                try merged(
                    history.causalOrder(seed: seed &* 31 &+ order), without: [mechanism]
                ).canonicalHash
            }
            return Set(hashes).count > 1
        }
        #expect(diverging != nil)
    }

    /// A history without deletes, removed links or concurrent writes would prove nothing.
    @Test func `random histories contain what merging is about`() throws {
        var found: Set<String> = []
        for seed in 0..<40 as Range<UInt64> {
            let history = try RandomHistory(seed: seed)
            for changeSet in history.changeSets {
                for block in try changeSet.decodedPayload().blocks {
                    switch block {
                    case .insert: found.insert("insert")
                    case .update: found.insert("update")
                    case .delete: found.insert("delete")
                    case .link: found.insert("link")
                    case .unlink: found.insert("unlink")
                    case .unknown: break
                    }
                }
            }
            let times = history.changeSets.map(\.timestamp)
            if Set(times).count < times.count { found.insert("tie") }
            if history.causalOrder(seed: 1).map(\.dot) != history.changeSets.map(\.dot) {
                found.insert("other order")
            }
        }
        #expect(
            found == ["insert", "update", "delete", "link", "unlink", "tie", "other order"])
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a history's dots, stamps and origins are chained`(seed: UInt64) throws {
        var heads: [ReplicaID: ChangeSet] = [:]
        for changeSet in try RandomHistory(seed: seed).changeSets {
            let previous = heads[changeSet.dot.replica]
            #expect(changeSet.dot.sequence == (previous?.dot.sequence ?? 0) + 1)
            #expect(changeSet.previousOrigin == previous?.origin ?? .zero)
            for entry in changeSet.context.beyond {
                let cause = try #require(heads[entry.dot.replica])
                #expect(entry.dot.sequence <= cause.dot.sequence)
                if entry.dot == cause.dot {
                    #expect(changeSet.timestamp > cause.timestamp)
                    #expect(entry.originPrefix == cause.origin.prefix)
                }
            }
            heads[changeSet.dot.replica] = changeSet
        }
    }

    private func merged(
        _ changeSets: [ChangeSet], without disabled: Set<Mechanism> = []
    ) throws -> ReferenceMerge {
        var merge = ReferenceMerge(without: disabled)
        for changeSet in changeSets { try merge.apply(changeSet) }
        return merge
    }
}
