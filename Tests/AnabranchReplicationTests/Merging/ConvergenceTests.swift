import AnabranchReplication
import TestSupport
import Testing

@Suite struct ConvergenceTests {
    @Test(arguments: TestLength.seeds(300))
    func `every causal order of delivery ends in one canonical hash`(seed: UInt64) throws {
        let history = try RandomHistory(seed: seed)
        let expected = try merged(history.changeSets)
        for order in 1...4 as ClosedRange<UInt64> {
            let delivered = history.causalOrder(seed: seed &* 31 &+ order)
            #expect(try merged(delivered).state == expected.state)
            #expect(try merged(delivered).canonicalHash == expected.canonicalHash)
        }
    }

    @Test(arguments: TestLength.seeds(200))
    func `every causal order ends in one hash under every rule`(seed: UInt64) throws {
        let history = try RandomHistory(seed: seed, rules: .all)
        let expected = try merged(history.changeSets)
        for order in 1...4 as ClosedRange<UInt64> {
            let delivered = try merged(history.causalOrder(seed: seed &* 31 &+ order))
            #expect(delivered.state == expected.state)
            #expect(delivered.canonicalHash == expected.canonicalHash)
        }
    }

    @Test(.long, arguments: ReferenceMerge.Mistake.allCases.filter { $0 != .lastWriterOnly })
    func `orders diverge as soon as a rule is mistaken`(
        mistake: ReferenceMerge.Mistake
    ) throws {
        let diverging = try (0..<300 as Range<UInt64>).first { seed in
            let history = try RandomHistory(seed: seed, rules: .all)
            let hashes = try (1...4 as ClosedRange<UInt64>).map { order in
                try merged(
                    history.causalOrder(seed: seed &* 31 &+ order), mistaking: [mistake]
                ).canonicalHash
            }
            return Set(hashes).count > 1
        }
        #expect(diverging != nil)
    }

    @Test(.long, arguments: [Mechanism.linkTags, .recordsNotHeld])
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
                    case .add, .write, .yieldingDelete, .move, .unknown:
                        found.insert("later rule")
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

    /// The cases of each later merge rule occur: siblings, dead records with links and deltas,
    /// records that are restored and deleted again, and ties of `max` and `min`.
    @Test(.long) func `random histories of all rules contain what each is about`() throws {
        var found: Set<String> = []
        for seed in 0..<200 as Range<UInt64> {
            let history = try RandomHistory(seed: seed, rules: .all)
            var merge = ReferenceMerge()
            for changeSet in history.changeSets {
                let before = merge.records
                try merge.apply(changeSet)
                for (id, record) in merge.records {
                    collect(record, before: before[id], changeSet.stamp, in: &found)
                }
                if before.contains(where: { $0.value.isDead && merge.records[$0.key] == nil }) {
                    found.insert("made final")
                }
            }
            if merge.links.keys.contains(where: { merge.records[$0.right]?.isDead == true }) {
                found.insert("link to a dead record")
            }
            if merge.links.contains(where: { $0.key.property.rule == .list && $0.value.count > 1 })
            {
                found.insert("concurrent moves")
            }
        }
        #expect(
            found == [
                "siblings", "siblings resolved", "dead", "lives again", "dies again",
                "delta to a dead record", "made final", "link to a dead record",
                "concurrent moves",
            ])
    }

    private func collect(
        _ record: ReferenceMerge.Record, before: ReferenceMerge.Record?, _ stamp: Stamp,
        in found: inout Set<String>
    ) {
        guard let before else { return }
        for (property, values) in record.cells {
            if values.count > 1 { found.insert("siblings") }
            let were = before.cells[property]?.count ?? 0
            if were > 1, values.count == 1 { found.insert("siblings resolved") }
        }
        if record.isDead, !before.isDead {
            found.insert(before.seen == nil ? "dead" : "dies again")
        }
        if before.isDead, !record.isDead { found.insert("lives again") }
        let isAdded = record.cells.contains { $0.key.rule == .counter && $0.value[stamp] != nil }
        if before.isDead, record.isDead, isAdded { found.insert("delta to a dead record") }
    }

    @Test(arguments: TestLength.seeds(40))
    func `a history's dots, stamps and origins are chained`(seed: UInt64) throws {
        var heads: [ReplicaID: ChangeSet] = [:]
        for changeSet in try RandomHistory(seed: seed, rules: .all).changeSets {
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
        _ changeSets: [ChangeSet], without disabled: Set<Mechanism> = [],
        mistaking mistakes: Set<ReferenceMerge.Mistake> = []
    ) throws -> ReferenceMerge {
        var merge = ReferenceMerge(without: disabled, mistaking: mistakes)
        for changeSet in changeSets { try merge.apply(changeSet) }
        return merge
    }
}
